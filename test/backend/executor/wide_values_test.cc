// Half tensors that tasks hand on as floats: the numbers and what is told of them stay those of halves.
#include <map>

#include "backend/executor/wide_values.h"
#include "backend/kernels/half_convert.h"
#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT

namespace {

// Convolutions with tails, a residual sum, channels joined, a pooling, a view and a product.
void Build(PassFixture& f, int64_t channels) {
  const ValueId x = f.Input({1, 5, 12, 12});
  const ValueId a = f.Op("Relu", "a_relu", {f.Conv("a", x, f.Weights({channels, 5, 3, 3}, 1, -0.2f, 0.2f))});
  const ValueId b = f.Op("Sigmoid", "b_sigmoid", {f.Conv("b", a, f.Weights({channels, channels, 3, 3}, 2, -0.1f, 0.1f))});
  const ValueId sum = f.Op("Add", "sum", {a, b});
  const ValueId c = f.Conv("c", sum, f.Weights({channels, channels, 3, 3}, 3, -0.1f, 0.1f));
  const ValueId joined = f.Op("ConcatD", "joined", {f.Op("Tanh", "tanh", {c}), sum});
  f.graph.producer(joined).attrs.Set("concat_dim", int64_t{1});
  const ValueId pooled = f.Op("MaxPoolV3", "pooled", {joined});
  Node& pool = f.graph.producer(pooled);
  pool.attrs.Set("ksize", std::vector<int64_t>{1, 1, 2, 2});
  pool.attrs.Set("strides", std::vector<int64_t>{1, 1, 2, 2});
  pool.attrs.Set("padding_mode", "VALID");
  pool.attrs.Set("data_format", "NCHW");
  const ValueId d = f.Conv("d", pooled, f.Weights({channels, 2 * channels, 3, 3}, 4, -0.1f, 0.1f));
  const ValueId shape = f.graph.AddConst("shape", Tensor::From<int64_t>(DT_INT64, {2}, {6 * channels, 6}));
  const ValueId rows = f.Op("Reshape", "rows", {d, shape});
  f.Output({f.Op("BatchMatMulV2", "product", {rows, f.Weights({6, 9}, 5)}), f.Op("ReduceMax", "unused_axes", {f.Op("Exp", "exp", {d}), f.graph.AddConst("axes", Tensor::From<int64_t>(DT_INT64, {1}, {1}))})});
}

size_t CountWide(const StaticRunner& runner) {
  std::vector<bool> runs(runner.compiled->node_capacity(), false);
  std::vector<Task> tasks;
  for (NodeId id = 0; id < runner.compiled->node_capacity(); ++id) {
    if (!runner.compiled->node(id).alive || runner.compiled->node(id).stream < 0) continue;
    Task task;
    task.op_index = id;
    tasks.push_back(task);
  }
  const std::vector<bool> wide = FindWideValues(*runner.compiled, tasks, runs);
  for (const NodeId id : runner.compiled->Inputs()) CHECK_FALSE(wide[runner.compiled->node(id).outputs[0]]);
  for (const ValueId value : runner.compiled->NetOutput()->inputs) CHECK_FALSE(wide[value]);
  return static_cast<size_t>(std::count(wide.begin(), wide.end(), true));
}

}  // namespace

TEST_CASE("tasks that hand floats on compute what the reference evaluator does, and tell halves") {
  for (const int64_t channels : {7, 16}) {
    for (const int cores : {1, 2}) {
      PassFixture f;
      Build(f, channels);
      const std::vector<Tensor> expected = Evaluate(f.graph, f.inputs);
      StaticRunner runner(f.graph.Clone(), PrecisionMode::kForceFp16, cores);
      CHECK(CountWide(runner) >= 4);
      std::map<ValueId, Tensor> told;
      size_t read = 0;
      NodeObserver observer{true, [&](const NodeTensor& tensor) {
        CHECK(tensor.data.dtype() == tensor.graph->desc(tensor.value).dtype);
        const auto made = told.find(tensor.value);
        if (!tensor.input) {
          told[tensor.value] = tensor.data;
        } else if (made != told.end()) {
          CHECK(SameBytes(tensor.data, made->second));
          ++read;
        }
      }};
      const std::vector<Tensor> plain = runner.Run(f.inputs);
      runner.model->SetObserver(observer);
      const std::vector<Tensor> watched = runner.Run(f.inputs);
      CHECK(read >= 3);
      REQUIRE(plain.size() == expected.size());
      for (size_t i = 0; i < plain.size(); ++i) {
        CHECK(SameBytes(plain[i], watched[i]));
        const std::vector<double> found = ToDoubles(plain[i]), wanted = ToDoubles(expected[i]);
        REQUIRE(found.size() == wanted.size());
        for (size_t k = 0; k < found.size(); ++k) REQUIRE(found[k] == Approx(wanted[k]).margin(1e-2).epsilon(1e-2));
      }
    }
  }
}

TEST_CASE("floats are rounded as narrowing and widening does") {
  std::vector<float> numbers;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 65537 - 64) {
    const auto word = static_cast<uint32_t>(bits);
    float number;
    std::memcpy(&number, &word, sizeof number);
    numbers.push_back(number);
  }
  for (const DataType half : {DT_FLOAT16, DT_BF16}) {
    std::vector<uint16_t> narrow(numbers.size());
    std::vector<float> wanted(numbers.size()), found = numbers;
    kernels::NarrowTo(narrow.data(), half, numbers.data(), numbers.size());
    kernels::WidenTo(wanted.data(), narrow.data(), half, narrow.size());
    kernels::ParallelRoundTo(found.data(), half, found.data(), found.size(), 2);
    CHECK(std::memcmp(found.data(), wanted.data(), found.size() * sizeof(float)) == 0);
  }
}
