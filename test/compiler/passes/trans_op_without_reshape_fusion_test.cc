#include "compiler/passes/trans_op_without_reshape_fusion.h"

#include "compiler/layout/choose_formats.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId CastTo(PassFixture& f, const char* name, ValueId value, DataType to) {
  const ValueId cast = f.Op("Cast", name, {value});
  f.graph.producer(cast).attrs.Set("dst_type", static_cast<int64_t>(to));
  return cast;
}

}  // namespace

TEST_CASE("a Cast of what a Cast only widened takes what that one took") {
  for (const DataType to : {DT_BF16, DT_INT32, DT_DOUBLE}) {
    PassFixture f;
    const ValueId half = f.Op("Neg", "neg", {CastTo(f, "half", f.Input({2, 7}), DT_FLOAT16)});
    f.Output({f.Op("Abs", "abs", {CastTo(f, "to", CastTo(f, "wide", half, DT_FLOAT), to)})});
    f.KeepsResults([&] { CHECK(TransOpWithoutReshapeFusionPass(f.graph, f.context)); }, 0);
    CHECK(f.graph.Find("wide") == nullptr);
    CHECK(f.graph.producer(f.graph.Find("to")->inputs[0]).name == "neg");
  }
}

TEST_CASE("a Cast of what was rounded stays behind it") {
  PassFixture f;
  const ValueId half = CastTo(f, "half", f.Input({2, 7}), DT_FLOAT16);
  f.Output({f.Op("Abs", "abs", {CastTo(f, "whole", half, DT_INT32)})});
  f.KeepsResults([&] { CHECK_FALSE(TransOpWithoutReshapeFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Cast") == 2);
}

TEST_CASE("a Cast between two TransData of which the second leads back works where the first began") {
  PassFixture f;
  const ValueId x = f.Input({1, 32, 5, 5});
  f.graph.producer(x).attrs.Set(kStorageFormatAttr, "NC1HWC0");
  f.Output({f.Op("Neg", "neg", {CastTo(f, "half", x, DT_FLOAT16)})});
  f.graph.Find("neg")->attrs.Set(kStorageFormatAttr, "NCHW");
  ChooseFormats(f.graph, f.journal);
  CHECK(f.Count("TransData") == 2);
  f.KeepsResults([&] { CHECK(TransOpWithoutReshapeFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("TransData") == 0);
  CHECK(f.graph.desc(f.graph.Find("half")->outputs[0]).format == FORMAT_NCHW);
  CHECK(f.graph.desc(f.graph.Find("half")->outputs[0]).shape == Shape{1, 32, 5, 5});
}
