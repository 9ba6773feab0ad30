#include <algorithm>

#include "backend/kernels/strided_copy.h"
#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using namespace atc::test;

TEST_CASE("a box is copied element by element, whatever the strides") {
  const int width = GENERATE(1, 2, 4, 8);
  const std::vector<int64_t> dims = GENERATE(std::vector<int64_t>{7, 33, 18}, std::vector<int64_t>{1, 4, 64},
                                             std::vector<int64_t>{128, 3, 1}, std::vector<int64_t>{5, 128, 65},
                                             std::vector<int64_t>{2, 3, 101}, std::vector<int64_t>{2, 37, 4});
  const int64_t a = dims[0], b = dims[1], c = dims[2];
  const std::vector<std::vector<int64_t>> layouts = {{b * c, c, 1}, {1, a, a * b}, {c, a * c, 1}, {b, 1, a * b}};
  std::vector<unsigned char> from(static_cast<size_t>(a * b * c * width));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 37 + i / 251);
  for (const auto& source : layouts) {
    for (const auto& target : layouts) {
      for (const int threads : {1, 2}) {
        std::vector<unsigned char> expected(from.size(), 0);
        for (int64_t i = 0; i < a * b * c; ++i) {
          const int64_t x = i / (b * c), y = i / c % b, z = i % c;
          std::memcpy(&expected[static_cast<size_t>((x * target[0] + y * target[1] + z * target[2]) * width)],
                      &from[static_cast<size_t>((x * source[0] + y * source[1] + z * source[2]) * width)],
                      static_cast<size_t>(width));
        }
        ForEachTarget([&] {
          std::vector<unsigned char> to(from.size(), 0);
          kernels::StridedCopy({dims, source, target}, width).Run(from.data(), to.data(), threads);
          CHECK(to == expected);
        });
      }
    }
  }
}

TEST_CASE("joins, slices and paddings are those of the reference in either layout") {
  const bool last = GENERATE(false, true);
  const std::vector<bool> lasts(4, last);
  KernelCase c;
  c.channels_last = lasts;
  SECTION("ConcatD") {
    const int64_t axis = GENERATE(0, 1, 2, -1);
    Shape other{2, 3, 4, 5};
    other[axis < 0 ? 3 : static_cast<size_t>(axis)] = 7;
    c.type = "ConcatD";
    c.inputs = {RandomFloats({2, 3, 4, 5}, 1), RandomFloats(other, 2)};
    c.set_attrs = [=](Node& node) {
      node.attrs.Set("concat_dim", axis);
      node.attrs.Set("N", int64_t{2});
    };
  }
  SECTION("SplitD") {
    const int64_t axis = GENERATE(1, 2);
    c.type = "SplitD";
    c.inputs = {RandomFloats({2, 6, 4, 5}, 1)};
    c.outputs = 2;
    c.set_attrs = [=](Node& node) {
      node.attrs.Set("split_dim", axis);
      node.attrs.Set("num_split", int64_t{2});
    };
  }
  SECTION("PadV3") {
    c.type = "PadV3";
    c.channels_last = {last, false, false, last};
    const bool crop = GENERATE(false, true);
    c.inputs = {RandomFloats({2, 6, 4, 5}, 1), Tensor::Ints({0, 1, 2, 0, 0, 0, 1, crop ? -2 : 3}),
                Tensor::From<float>(DT_FLOAT, {1}, {0.25f})};
    c.constant = {false, true, true};
  }
  CheckAgainstReference(c, 0);
  c.threads = 2;
  CheckAgainstReference(c, 0);
}

TEST_CASE("transposes of all orders are those of the reference") {
  std::vector<int64_t> perm = {0, 1, 2, 3};
  KernelCase c;
  c.type = "Transpose";
  c.constant = {false, true};
  do {
    c.inputs = {RandomFloats({3, 17, 5, 20}, 1), Tensor::Ints(perm)};
    CheckAgainstReference(c, 0);
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST_CASE("borders that repeat what is inside are left to others") {
  KernelCase c;
  c.type = "PadV3";
  c.inputs = {RandomFloats({2, 6}, 1), Tensor::Ints({0, 1, 0, 2})};
  c.constant = {false, true};
  Graph graph("case");
  Node& node = graph.Add("PadV3", "node", {graph.AddData("x", 0, TensorDesc(DT_FLOAT, {2, 6})), graph.AddConst("pads", c.inputs[1])}, 1);
  node.attrs.Set("mode", "reflect");
  CHECK(RunFast(c, graph, node, RunReferenceKernel(node, c.inputs)).empty());
}
