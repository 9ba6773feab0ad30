#include "compiler/passes/same_transdata_breadth_fusion.h"

#include "compiler/layout/choose_formats.h"
#include "compiler/passes/trans_op_breadth_fusion.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId CastTo(PassFixture& f, const char* name, ValueId value, DataType to) {
  const ValueId cast = f.Op("Cast", name, {value});
  f.graph.producer(cast).attrs.Set("dst_type", static_cast<int64_t>(to));
  return cast;
}

ValueId Convolve(PassFixture& f, const char* name, ValueId x, DataType dtype) {
  const Tensor filter = test::RandomFloats({32, 3, 3, 3}, 1);
  return f.Conv(name, x, f.graph.AddConst("w", dtype == DT_FLOAT ? filter : Narrow(filter, dtype)));
}

}  // namespace

TEST_CASE("a TransData of a value serves what casts it too") {
  PassFixture f;
  const ValueId y = Convolve(f, "conv", f.Input({1, 3, 5, 5}), DT_FLOAT);
  f.Output({y, CastTo(f, "half", y, DT_FLOAT16)});
  ChooseFormats(f.graph, f.journal);
  CHECK(f.Count("TransData") == 3);
  f.KeepsResults([&] { CHECK(SameTransdataBreadthFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("TransData") == 2);
  const Node& half = *f.graph.Find("half");
  CHECK(half.inputs[0] == f.graph.NetOutput()->inputs[0]);
  CHECK(f.graph.desc(half.outputs[0]).format == FORMAT_NCHW);
  CHECK(f.graph.desc(half.outputs[0]).shape == Shape{1, 32, 5, 5});
  CHECK_FALSE(SameTransdataBreadthFusionPass(f.graph, f.context));
}

TEST_CASE("Casts to two types that lead into the same blocks are made behind one TransData") {
  PassFixture f;
  const ValueId x = f.Input({1, 3, 5, 5});
  f.Output({Convolve(f, "a", CastTo(f, "half", x, DT_FLOAT16), DT_FLOAT16),
            Convolve(f, "b", CastTo(f, "brain", x, DT_BF16), DT_BF16)});
  ChooseFormats(f.graph, f.journal);
  CHECK(f.Count("TransData") == 4);
  f.KeepsResults([&] { CHECK(SameTransdataBreadthFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("TransData") == 3);
  CHECK(f.graph.Find("half")->inputs[0] == f.graph.Find("brain")->inputs[0]);
  CHECK(f.graph.desc(f.graph.Find("half")->inputs[0]).dtype == DT_FLOAT);
  CHECK(f.graph.desc(f.graph.Find("brain")->outputs[0]).shape == Shape{1, 1, 5, 5, 16});
}

TEST_CASE("a Cast that others read in its own layout stays where it is") {
  PassFixture f;
  const ValueId x = f.Input({1, 3, 5, 5});
  const ValueId half = CastTo(f, "half", x, DT_FLOAT16);
  f.Output({Convolve(f, "a", x, DT_FLOAT), Convolve(f, "b", half, DT_FLOAT16), f.Op("Neg", "neg", {half})});
  ChooseFormats(f.graph, f.journal);
  f.KeepsResults([&] { CHECK_FALSE(SameTransdataBreadthFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.graph.Find("half")->inputs[0] == x);
}
