// Folding stays within bounds, and shapes beyond all bounds are an error that names the node.
#include "compiler/ops/inference.h"

#include <algorithm>

#include "compiler/ir/error.h"
#include "test/compiler/pass_fixture.h"

namespace atc::test {
namespace {

// Bytes of the largest constant.
size_t LargestConstant(const Graph& graph) {
  size_t most = 0;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    const Tensor* constant = node.outputs.empty() ? nullptr : graph.Constant(node.outputs[0]);
    if (constant) most = std::max(most, constant->NumBytes());
  }
  return most;
}

ValueId Doubled(PassFixture& f, const std::string& name, ValueId a, ValueId b) {
  const ValueId y = f.Op("ConcatD", name, {a, b});
  f.graph.producer(y).attrs.Set("concat_dim", int64_t{0});
  f.graph.producer(y).attrs.Set("N", int64_t{2});
  return y;
}

TEST_CASE("constants that are doubled over and over are not folded without end") {
  PassFixture f;
  const bool twice_the_same = GENERATE(true, false);
  ValueId value = f.Weights({4}, 1);
  for (int i = 0; i < 30; ++i) {
    const std::string name = "step" + std::to_string(i);
    const ValueId other = twice_the_same ? value : f.Op("Relu", name + "/relu", {value});
    const ValueId same = twice_the_same ? value : f.Op("Abs", name + "/abs", {value});
    value = Doubled(f, name, same, other);
  }
  f.Output({value});
  InferShapesAndFold(f.graph, f.journal);
  f.graph.Verify(true);
  CHECK(LargestConstant(f.graph) <= 2 << 20);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).shape == Shape{int64_t{4} << 30});
}

TEST_CASE("a result whose size inference cannot tell is folded only when it is small") {
  PassFixture f;
  const float limit = GENERATE(10.0f, 1e9f);
  const auto scalar = [&](float v) { return f.graph.AddConst("number", Tensor::Scalar(v)); };
  f.Output({f.Op("Range", "range", {scalar(0), scalar(limit), scalar(1)})});
  InferShapesAndFold(f.graph, f.journal);
  CHECK(f.Count("Range") == (limit > 100 ? 1 : 0));
}

TEST_CASE("a tensor beyond all bounds is an error at its node") {
  PassFixture f;
  ValueId value = f.graph.AddData("x", 0, TensorDesc(DT_FLOAT, {4}));
  for (int i = 0; i < 70; ++i) value = Doubled(f, "step" + std::to_string(i), value, value);
  try {
    f.Output({value});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.diagnostic().code == "E14001");  // the shapes of --input_shape can ask for it
    REQUIRE(error.diagnostic().context.size() == 1);
    CHECK(error.diagnostic().context[0] == "node 'step42' (ConcatD)");  // 4 * 2^43 are more than 2^44
  }
}

}  // namespace
}  // namespace atc::test
