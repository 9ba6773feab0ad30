#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

Ids Reduced(bool parallel, int64_t fusion) {
  static const OpDef reduce = std::move(OpDef("HcomAllReduce").DynIn("x").DynOut("y").On(Unit::kHccl));
  StreamGraph g;
  g.options.hcom_parallel = parallel;
  const ValueId a = g.Op("a", {g.data}, kCore);
  Node& node = g.graph.Add(reduce, "reduce", {a}, 1);
  node.attrs.Set("fusion", fusion);
  g.graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4});
  const ValueId b = g.Op("b", {node.outputs[0]}, kCore);
  const ValueId c = g.Op("c", {b}, kCore);
  const ValueId d = g.Op("d", {a}, kCore);
  g.Output({c, d});
  return g.Assign();
}

}  // namespace

TEST_CASE("what follows a fused AllReduce leaves the stream of the rest") {
  CHECK(Reduced(true, 1) == Ids{{"a", 1}, {"b", 2}, {"c", 2}, {"d", 1}, {"reduce", 0}});
  CHECK(Reduced(true, 0) == Ids{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"reduce", 0}});
  CHECK(Reduced(false, 1) == Ids{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"reduce", 0}});
}
