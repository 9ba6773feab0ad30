#include "compiler/passes/no_effect.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId Transpose(PassFixture& f, const char* name, ValueId x, std::vector<int64_t> perm) {
  return f.Op("Transpose", name, {x, f.graph.AddConst("perm", Tensor::Ints(std::move(perm)))});
}

ValueId Reshape(PassFixture& f, const char* name, ValueId x, std::vector<int64_t> shape) {
  return f.Op("Reshape", name, {x, f.graph.AddConst("shape", Tensor::Ints(std::move(shape)))});
}

// Of each kind of node that gives its input back one, named after it, between Exp and Relu.
void WithoutEffect(PassFixture& f) {
  ValueId x = f.Op("Exp", "exp", {f.Input({2, 3})});
  x = f.Op("Identity", "identity", {x});
  x = f.Op("Cast", "cast", {x});
  f.graph.producer(x).attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT));
  x = Transpose(f, "transpose", x, {0, 1});
  x = Reshape(f, "reshape", x, {2, 3});
  x = f.Op("ConcatD", "concat", {x});
  f.graph.producer(x).attrs.Set("concat_dim", int64_t{0});
  f.Output({f.Op("Relu", "relu", {x})});
}

struct Remover {
  PassFn pass;
  const char* gone;
};

constexpr Remover kRemovers[] = {{IdentityPass, "identity"},
                                 {CastRemovePass, "cast"},
                                 {UnchangedTransposeRemovePass, "transpose"},
                                 {NoUseReshapeRemovePass, "reshape"},
                                 {RemoveNoEffectPass, "concat"}};

}  // namespace

TEST_CASE("what gives its input back goes, each kind by a pass of its own") {
  for (const Remover& row : kRemovers) {
    PassFixture f;
    WithoutEffect(f);
    f.KeepsResults([&] { CHECK(row.pass(f.graph, f.context)); }, 0);
    for (const Remover& other : kRemovers) CHECK((f.graph.Find(other.gone) == nullptr) == (&other == &row));
    CHECK_FALSE(row.pass(f.graph, f.context));
  }
  PassFixture f;
  WithoutEffect(f);
  f.KeepsResults([&] { for (const Remover& row : kRemovers) row.pass(f.graph, f.context); }, 0);
  CHECK(f.graph.producer(f.graph.Find("relu")->inputs[0]).name == "exp");
}

TEST_CASE("what goes leaves its place in the order of the nodes to its neighbours") {
  PassFixture f;
  const ValueId x = f.Input({2, 3});
  const ValueId copy = f.Op("Identity", "copy", {f.Op("Exp", "exp", {x})});
  const NodeId before = f.graph.producer(f.Op("Neg", "before", {x})).id;
  const ValueId after = f.Op("Relu", "after", {x});
  f.graph.AddControl(before, f.graph.producer(copy).id);
  f.graph.AddControl(f.graph.producer(copy).id, f.graph.producer(after).id);
  f.Output({f.Op("Add", "sum", {copy, after})});
  f.KeepsResults([&] { CHECK(IdentityPass(f.graph, f.context)); }, 0);
  CHECK(f.graph.producer(after).control_in == std::vector<NodeId>{before});
  CHECK(f.graph.Find("sum")->control_in == std::vector<NodeId>{before});
}

TEST_CASE("what moves, reshapes or converts stays, and so does the copy of an input that is an output") {
  PassFixture f;
  const ValueId x = f.Input({2, 3});
  const ValueId copy = f.Op("Identity", "copy", {x});
  const ValueId wide = f.Op("Cast", "wide", {x});
  f.graph.producer(wide).attrs.Set("dst_type", static_cast<int64_t>(DT_DOUBLE));
  f.Output({copy, wide, Transpose(f, "turn", x, {1, 0}), Reshape(f, "flat", x, {6})});
  for (const Remover& row : kRemovers) CHECK_FALSE(row.pass(f.graph, f.context));
  CHECK(f.graph.Find("copy") != nullptr);
}

TEST_CASE("two transposes are one of the product of their orders") {
  PassFixture f;
  const ValueId x = f.Input({2, 3, 4});
  f.Output({f.Op("Exp", "exp", {Transpose(f, "second", Transpose(f, "first", x, {1, 2, 0}), {1, 0, 2})})});
  f.KeepsResults([&] { CHECK(MergeMovementPass(f.graph, f.context)); }, 0);
  // Output axis i is axis 1, 0, 2 of the first result, hence 2, 1, 0 of x.
  const Node& second = *f.graph.Find("second");
  CHECK(second.inputs[0] == x);
  CHECK(ToInts(*f.graph.ConstantInput(second, 1)) == std::vector<int64_t>{2, 1, 0});
}

TEST_CASE("a reshape of a reshape skips the first, also where its target copies dims") {
  PassFixture f;
  const ValueId x = f.Input({2, 3, 4});
  f.Output({f.Op("Exp", "exp", {Reshape(f, "second", Reshape(f, "first", x, {6, 4}), {0, 2, 2})})});
  f.KeepsResults([&] { CHECK(MergeMovementPass(f.graph, f.context)); }, 0);
  const Node& second = *f.graph.Find("second");
  CHECK(second.inputs[0] == x);
  CHECK(ToInts(*f.graph.ConstantInput(second, 1)) == std::vector<int64_t>{6, 2, 2});
}

TEST_CASE("slices, paddings and repetitions of nothing go, those of something with the same shape stay") {
  PassFixture f;
  const auto ints = [&](std::vector<int64_t> values) { return f.graph.AddConst("ints", Tensor::Ints(std::move(values))); };
  ValueId x = f.Op("Exp", "exp", {f.Input({4, 3})});
  x = f.Op("StridedSliceV2", "all", {x, ints({0, -3}), ints({4, 100})});
  x = f.Op("PadV3", "none", {x, ints({0, 0, 0, 0})});
  x = f.Op("Tile", "once", {x, ints({1, 1})});
  x = f.Op("Expand", "wide", {x, ints({4, 1})});
  x = f.Op("StridedSliceV2", "backwards", {x, ints({-1}), ints({-100}), ints({0}), ints({-1})});
  x = f.Op("PadV3", "shift", {x, ints({1, -1, 0, 0})});
  f.Output({x});
  f.KeepsResults([&] { CHECK(RemoveNoEffectPass(f.graph, f.context)); }, 0);
  for (const char* gone : {"all", "none", "once", "wide"}) CHECK(f.graph.Find(gone) == nullptr);
  for (const char* kept : {"backwards", "shift"}) CHECK(f.graph.Find(kept) != nullptr);
}
