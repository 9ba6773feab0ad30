// What inference knows of small integer tensors when some dims are open.
#include <catch2/catch.hpp>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/graph.h"

namespace atc {
namespace {

using Element = std::optional<int64_t>;

PartialInts Vector(std::vector<Element> elements) {
  return {Shape{static_cast<int64_t>(elements.size())}, std::move(elements)};
}

// What becomes known of the one output.
std::optional<PartialInts> Infer(const char* type, const std::vector<PartialInts>& inputs,
                                 const std::vector<DataType>& dtypes = {}) {
  Graph graph;
  std::vector<ValueId> ids;
  std::vector<TensorDesc> descs;
  std::vector<InferContext::Known> known;
  for (size_t i = 0; i < inputs.size(); ++i) {
    descs.emplace_back(i < dtypes.size() ? dtypes[i] : DT_INT64, inputs[i].shape);
    ids.push_back(graph.AddData("in" + std::to_string(i), static_cast<int64_t>(i), descs.back()));
    known.push_back({nullptr, &inputs[i]});
  }
  Node& node = graph.Add(type, "node", ids, 1);
  InferContext context(node, descs, known);
  node.def->infer(context);
  return context.TakeInts()[0];
}

}  // namespace

TEST_CASE("sums of known elements stay known beside unknown ones") {
  const auto y = Infer("Add", {Vector({2, {}, 4}), Vector({1, 1, 1})});
  REQUIRE(y);
  CHECK(y->elements == std::vector<Element>{3, {}, 5});
}

TEST_CASE("a dim chosen by a comparison with -1") {
  const PartialInts shape = Vector({-1, 3});
  const auto is_open = Infer("Equal", {shape, Vector({-1})});
  REQUIRE(is_open);
  CHECK(is_open->elements == std::vector<Element>{1, 0});
  const auto chosen = Infer("SelectV2", {*is_open, Vector({7, 8}), shape}, {DT_BOOL});
  REQUIRE(chosen);
  CHECK(chosen->elements == std::vector<Element>{7, 3});
}

TEST_CASE("gathering a known dim of a shape that is partly open") {
  const PartialInts axis{Shape{}, {0}};
  const auto known = Infer("GatherV2", {Vector({{}, 3, 48}), PartialInts{Shape{}, {-1}}, axis});
  REQUIRE(known);
  CHECK(known->shape == Shape{});
  CHECK(known->elements == std::vector<Element>{48});
  CHECK(Infer("GatherV2", {Vector({{}, 3}), PartialInts{Shape{}, {0}}, axis})->elements == std::vector<Element>{{}});
}

TEST_CASE("sums that leave their type are not known") {
  const auto y = Infer("Mul", {Vector({65536}), Vector({65536})}, {DT_INT32, DT_INT32});
  REQUIRE(y);
  CHECK(y->elements == std::vector<Element>{{}});
}

TEST_CASE("the product of a known vector") {
  const auto y = Infer("ReduceProd", {Vector({2, 3, 4}), Vector({0})});
  REQUIRE(y);
  CHECK(y->elements == std::vector<Element>{24});
}

}  // namespace atc
