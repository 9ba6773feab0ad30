#include "compiler/passes/cast_sink.h"

#include "compiler/passes/trans_op_symmetry_elimination.h"
#include "compiler/precision/choose_dtypes.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId CastTo(PassFixture& f, const char* name, ValueId value, DataType to) {
  const ValueId cast = f.Op("Cast", name, {value});
  f.graph.producer(cast).attrs.Set("dst_type", static_cast<int64_t>(to));
  return cast;
}

DataType TypeAt(const PassFixture& f, const char* node) { return f.graph.desc(f.graph.Find(node)->outputs[0]).dtype; }

// The elements that all Casts of the graph read.
int64_t CastElements(const PassFixture& f) {
  int64_t elements = 0;
  for (const NodeId id : f.graph.TopologicalOrder()) {
    const Node& node = f.graph.node(id);
    if (node.type() == "Cast") elements += f.graph.desc(node.inputs[0]).origin_shape.NumElements();
  }
  return elements;
}

}  // namespace

TEST_CASE("a Cast goes behind what picks few elements, unless all together are picked") {
  struct Row {
    int64_t rows;      // of 8, by each of two slices
    int64_t elements;  // that Casts read then, by hand
  };
  for (const Row& row : {Row{2, 2 * 2 * 5}, Row{4, 8 * 5}}) {
    PassFixture f;
    const ValueId half = CastTo(f, "half", f.Input({8, 5}), DT_FLOAT16);
    std::vector<ValueId> results;
    for (const char* name : {"a", "b"}) {
      const ValueId cut = f.Op("Slice", name,
                               {half, f.graph.AddConst("begin", Tensor::Ints({1, 0})),
                                f.graph.AddConst("size", Tensor::Ints({row.rows, 5}))});
      results.push_back(f.Op("Neg", std::string("neg_") + name, {cut}));
    }
    f.Output(results);
    f.KeepsResults([&] { CastSinkPass(f.graph, f.context); }, 0);
    INFO(row.rows);
    CHECK(CastElements(f) == row.elements);
    CHECK(TypeAt(f, "neg_a") == DT_FLOAT16);
    CHECK(TypeAt(f, "a") == (row.rows == 2 ? DT_FLOAT : DT_FLOAT16));
  }
}

TEST_CASE("a Cast that went behind what picks elements goes altogether where the next one undoes it") {
  PassFixture f;
  const ValueId half = CastTo(f, "half", f.Input({8, 5}), DT_FLOAT16);
  const ValueId wide = CastTo(f, "wide", f.Op("Neg", "neg", {half}), DT_FLOAT);
  const ValueId cut =
      f.Op("Slice", "cut",
           {wide, f.graph.AddConst("begin", Tensor::Ints({1, 0})), f.graph.AddConst("size", Tensor::Ints({2, 5}))});
  f.Output({CastTo(f, "x", f.Op("Exp", "exp", {CastTo(f, "again", cut, DT_FLOAT16)}), DT_FLOAT)});
  f.KeepsResults(
      [&] {
        CHECK(CastSinkPass(f.graph, f.context));
        CHECK(TransOpSymmetryEliminationPass(f.graph, f.context));
      },
      0);
  CHECK(f.Count("Cast") == 2);  // at both ends
  CHECK(f.graph.producer(f.graph.Find("exp")->inputs[0]).name == "cut");
}

TEST_CASE("a Cast goes in front of what repeats elements") {
  PassFixture f;
  const ValueId half = CastTo(f, "half", f.Input({2, 5}), DT_FLOAT16);
  const ValueId tiled =
      f.Op("Tile", "tile", {f.Op("Neg", "neg", {half}), f.graph.AddConst("times", Tensor::Ints({3, 4}))});
  f.Output({CastTo(f, "wide", tiled, DT_FLOAT)});
  f.KeepsResults([&] { CastSinkPass(f.graph, f.context); }, 0);
  CHECK(TypeAt(f, "tile") == DT_FLOAT);
  CHECK(CastElements(f) == 2 * 5 + 2 * 5);
}

TEST_CASE("in the default mode the Cast of a large input stands behind the Gather that reads some of it") {
  PassFixture f;
  const ValueId table = f.Input({100, 4});
  const ValueId picked =
      f.Op("GatherV2", "pick",
           {table, f.graph.AddConst("which", Tensor::Ints({3, 7})), f.graph.AddConst("axis", Tensor::Ints({0}))});
  f.Output({f.Op("Exp", "exp", {picked})});
  f.KeepsResults(
      [&] {
        ChooseDtypes(f.graph, PrecisionMode::kForceFp16, {}, f.journal);
        CHECK(CastSinkPass(f.graph, f.context));
      },
      5e-3);
  CHECK(TypeAt(f, "pick") == DT_FLOAT);
  CHECK(TypeAt(f, "exp") == DT_FLOAT16);
  CHECK(CastElements(f) == 8 + 8);
}
