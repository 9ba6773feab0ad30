#include "compiler/passes/trans_op_symmetry_elimination.h"

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

}  // namespace

TEST_CASE("Casts that undo each other exactly go, those that round stay") {
  struct Row {
    DataType between, back;
    bool goes;
  };
  // From half: float holds all halves, bfloat16 does not. By hand: 11 bits of mantissa against 8.
  for (const Row& row :
       {Row{DT_FLOAT, DT_FLOAT16, true}, Row{DT_BF16, DT_FLOAT16, false}, Row{DT_FLOAT, DT_BF16, false}}) {
    PassFixture f;
    const ValueId half = f.Op("Neg", "neg", {CastTo(f, "half", f.Input({2, 7}), DT_FLOAT16)});
    const ValueId back = CastTo(f, "back", CastTo(f, "between", half, row.between), row.back);
    f.Output({f.Op("Exp", "exp", {back})});
    f.KeepsResults([&] { CHECK(TransOpSymmetryEliminationPass(f.graph, f.context) == row.goes); }, 0);
    CHECK((f.graph.Find("back") == nullptr) == row.goes);
    CHECK((f.graph.Find("between") == nullptr) == row.goes);
    CHECK(f.graph.Find("half") != nullptr);
  }
}

TEST_CASE("a rounding there and back is no Cast that can go") {
  PassFixture f;
  const ValueId there = CastTo(f, "there", f.Input({2, 7}), DT_FLOAT16);
  f.Output({f.Op("Neg", "neg", {CastTo(f, "back", there, DT_FLOAT)})});
  f.KeepsResults([&] { CHECK_FALSE(TransOpSymmetryEliminationPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Cast") == 2);
}

TEST_CASE("what is read between the two stays for its readers; what waits for others stays altogether") {
  for (const bool waits : {false, true}) {
    PassFixture f;
    const ValueId half = f.Op("Neg", "neg", {CastTo(f, "half", f.Input({2, 7}), DT_FLOAT16)});
    const ValueId wide = CastTo(f, "wide", half, DT_FLOAT);
    const ValueId other = f.Op("Abs", "abs", {wide});
    f.Output({f.Op("Exp", "exp", {CastTo(f, "back", wide, DT_FLOAT16)}), other});
    if (waits) f.graph.AddControl(f.graph.producer(other).id, f.graph.Find("back")->id);
    f.KeepsResults([&] { CHECK(TransOpSymmetryEliminationPass(f.graph, f.context) == !waits); }, 0);
    CHECK(f.graph.Find("wide") != nullptr);
    CHECK((f.graph.Find("back") != nullptr) == waits);
  }
}

TEST_CASE("a TransData that leads back into the layout before it goes with the one before it") {
  PassFixture f;
  const ValueId x = f.Input({1, 3, 5, 5});
  f.graph.producer(x).attrs.Set(kStorageFormatAttr, "NC1HWC0");
  f.Output({f.Op("Flatten", "flat", {x}), f.Conv("conv", x, f.Weights({4, 3, 3, 3}, 1))});
  ChooseFormats(f.graph, f.journal);
  CHECK(f.Count("TransData") == 3);
  f.KeepsResults([&] { CHECK(TransOpSymmetryEliminationPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("TransData") == 2);
  CHECK(f.graph.Find("flat")->inputs[0] == x);
}
