// A Transpose moves down as far as that saves Transposes, and numbers stay as they were.
#include "compiler/passes/transpose_sink.h"

#include <functional>

#include "compiler/passes/no_effect.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId Ints(PassFixture& f, std::vector<int64_t> values) { return f.graph.AddConst("ints", Tensor::Ints(std::move(values))); }

ValueId Number(PassFixture& f, int64_t value) { return f.graph.AddConst("number", Tensor::Scalar(value)); }

ValueId Transpose(PassFixture& f, const char* name, ValueId x, std::vector<int64_t> perm) {
  return f.Op("Transpose", name, {x, Ints(f, std::move(perm))});
}

template <typename T>
ValueId With(PassFixture& f, ValueId y, const char* attr, T value) {
  f.graph.producer(y).attrs.Set(attr, AttrValue(value));
  return y;
}

bool Sink(PassFixture& f) {
  const bool changed = TransposeSinkPass(f.graph, f.context);
  InferShapesAndFold(f.graph, f.journal);  // constants that were turned, and every shape anew
  return changed;
}

// Operators between a Transpose (0,3,1,2) of float[2,5,6,4] (so of [2,4,5,6]) and the inverse one.
struct Row {
  const char* name;
  std::function<ValueId(PassFixture&, ValueId)> build;
};

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
      {"relu", [](PassFixture& f, ValueId x) { return f.Op("Relu", "op", {x}); }},
      {"add a constant a channel", [](PassFixture& f, ValueId x) { return f.Op("Add", "op", {x, f.Weights({4, 1, 1}, 3)}); }},
      {"add a constant a column", [](PassFixture& f, ValueId x) { return f.Op("Add", "op", {f.Weights({6}, 3), x}); }},
      {"add a whole constant", [](PassFixture& f, ValueId x) { return f.Op("Add", "op", {x, f.Weights({2, 4, 5, 6}, 3)}); }},
      {"multiply by a number", [](PassFixture& f, ValueId x) { return f.Op("Mul", "op", {x, f.Weights({}, 3)}); }},
      {"multiply by itself", [](PassFixture& f, ValueId x) { return f.Op("Mul", "op", {x, f.Op("Sigmoid", "gate", {x})}); }},
      {"softmax", [](PassFixture& f, ValueId x) { return With(f, f.Op("SoftmaxV2", "op", {x}), "axes", std::vector<int64_t>{1}); }},
      {"log softmax of two axes", [](PassFixture& f, ValueId x) {
         return With(f, f.Op("LogSoftmaxV2", "op", {x}), "axes", std::vector<int64_t>{-1, 1});
       }},
      {"mean of the plane", [](PassFixture& f, ValueId x) {
         return With(f, f.Op("ReduceMean", "op", {x, Ints(f, {2, 3})}), "keep_dims", true);
       }},
      {"largest of a channel", [](PassFixture& f, ValueId x) {
         return With(f, f.Op("ReduceMax", "op", {x, Ints(f, {-3})}), "keep_dims", true);
       }},
      {"pairs of paddings", [](PassFixture& f, ValueId x) { return f.Op("PadV3", "op", {x, Ints(f, {0, 1, 2, 0, 0, 0, 3, 1})}); }},
      {"all begins, then all ends", [](PassFixture& f, ValueId x) {
         return With(f, f.Op("PadV3", "op", {x, Ints(f, {0, 1, 2, 0, 0, 0, 3, 1})}), "paddings_contiguous", false);
       }},
      {"slice of named axes", [](PassFixture& f, ValueId x) {
         return f.Op("StridedSliceV2", "op", {x, Ints(f, {1, 0}), Ints(f, {4, -1}), Ints(f, {-2, 1}), Ints(f, {2, 1})});
       }},
      {"slice of the first axes", [](PassFixture& f, ValueId x) {
         return f.Op("StridedSliceV2", "op", {x, Ints(f, {0, 1}), Ints(f, {1, 3})});
       }},
      {"slice by sizes", [](PassFixture& f, ValueId x) { return f.Op("Slice", "op", {x, Ints(f, {0, 1, 0, 2}), Ints(f, {2, 3, 5, 3})}); }},
      {"tile", [](PassFixture& f, ValueId x) { return f.Op("Tile", "op", {x, Ints(f, {1, 2, 1, 3})}); }},
      {"reverse", [](PassFixture& f, ValueId x) { return f.Op("ReverseV2", "op", {x, Ints(f, {1, 3})}); }},
      {"running sums", [](PassFixture& f, ValueId x) { return f.Op("Cumsum", "op", {x, Number(f, 1)}); }},
      {"concatenation with a constant", [](PassFixture& f, ValueId x) {
         return With(f, f.Op("ConcatD", "op", {x, f.Weights({2, 3, 5, 6}, 4)}), "concat_dim", int64_t{1});
       }},
      {"clip", [](PassFixture& f, ValueId x) {
         return f.Op("ClipByValue", "op", {x, f.graph.AddConst("low", Tensor::Scalar(-0.5f)), f.graph.AddConst("high", Tensor::Scalar(0.5f))});
       }},
  };
  return rows;
}

}  // namespace

TEST_CASE("a Transpose and its inverse go with what stands between them") {
  for (const Row& row : Rows()) {
    INFO(row.name);
    PassFixture f;
    const ValueId turned = Transpose(f, "in", f.Input({2, 5, 6, 4}), {0, 3, 1, 2});
    f.Output({f.Op("Exp", "exp", {Transpose(f, "out", row.build(f, turned), {0, 2, 3, 1})})});
    f.KeepsResults([&] { CHECK(Sink(f)); }, 1e-6);
    CHECK(f.Count("Transpose") == 0);
  }
}

TEST_CASE("axes that go, and axes that come") {
  struct Case {
    const char* name;
    std::function<ValueId(PassFixture&, ValueId)> build;
    std::vector<int64_t> out;
  };
  const std::vector<Case> cases = {
      // [2,4,5,6] without axis 2 is [2,4,6]; of [2,5,6,4] [2,6,4].
      {"sum", [](PassFixture& f, ValueId x) { return f.Op("ReduceSum", "op", {x, Ints(f, {2})}); }, {0, 2, 1}},
      {"argmax", [](PassFixture& f, ValueId x) { return f.Op("ArgMaxV2", "op", {x, Number(f, 1)}); }, {0, 1, 2}},
      {"unsqueeze", [](PassFixture& f, ValueId x) {
         return With(f, f.Op("Unsqueeze", "op", {x}), "axes", std::vector<int64_t>{1, -1});
       }, {0, 1, 3, 4, 2, 5}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    PassFixture f;
    const ValueId turned = Transpose(f, "in", f.Input({2, 5, 6, 4}), {0, 3, 1, 2});
    const ValueId y = c.build(f, turned);
    f.Output({Transpose(f, "out", y, c.out)});
    f.KeepsResults([&] { CHECK(Sink(f)); }, 1e-6);
    UnchangedTransposeRemovePass(f.graph, f.context);
    CHECK(f.Count("Transpose") == 0);
  }
}

TEST_CASE("the Transposes of several operands become one") {
  PassFixture f;
  std::vector<ValueId> parts;
  for (int i = 0; i < 3; ++i) parts.push_back(Transpose(f, "in", f.Input({2, 5, 4}), {0, 2, 1}));
  const ValueId joined = With(f, f.Op("ConcatD", "join", parts), "concat_dim", int64_t{2});
  f.Output({joined, f.Op("Exp", "exp", {joined})});
  f.KeepsResults([&] { CHECK(Sink(f)); }, 1e-6);
  CHECK(f.Count("Transpose") == 1);
  CHECK(f.graph.Find("join")->Attr<int64_t>("concat_dim") == 1);
}

TEST_CASE("a Transpose waits until less is left to move") {
  PassFixture f;
  const ValueId turned = Transpose(f, "in", f.Input({2, 50, 4}), {0, 2, 1});
  f.Output({f.Op("StridedSliceV2", "cut", {turned, Ints(f, {0}), Ints(f, {3}), Ints(f, {2})})});
  f.KeepsResults([&] { CHECK(Sink(f)); }, 0);
  CHECK(f.graph.producer(f.graph.NetOutput()->inputs[0]).type() == "Transpose");
}

TEST_CASE("elementwise operators move in front of a Transpose to what they may join") {
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  f.Output({f.Op("Relu", "relu", {Transpose(f, "turn", y, {0, 2, 3, 1})})});
  f.KeepsResults([&] { CHECK(Sink(f)); }, 0);
  CHECK(f.graph.producer(f.graph.Find("relu")->inputs[0]).name == "conv");
  CHECK_FALSE(TransposeSinkPass(f.graph, f.context));
}

TEST_CASE("what a Split gives is put together again without a Transpose") {
  PassFixture f;
  const ValueId turned = Transpose(f, "in", f.Input({2, 5, 6, 4}), {0, 3, 1, 2});
  Node& split = f.graph.Add("SplitV", "split", {turned, Ints(f, {1, 3}), Number(f, 1)}, 2);
  split.attrs.Set("num_split", int64_t{2});
  const std::vector<ValueId> parts = split.outputs;
  const ValueId a = f.Op("Relu", "a", {parts[0]});
  const ValueId joined = With(f, f.Op("ConcatD", "join", {parts[1], a}), "concat_dim", int64_t{1});
  f.Output({Transpose(f, "out", joined, {0, 2, 3, 1})});
  f.KeepsResults([&] { CHECK(Sink(f)); }, 0);
  CHECK(f.Count("Transpose") == 0);
}

TEST_CASE("a Transpose stays where moving it saves nothing") {
  PassFixture f;
  const ValueId x = f.Input({2, 5, 4});
  const ValueId turned = Transpose(f, "in", x, {0, 2, 1});
  SECTION("before a matrix product") {
    f.Output({f.Op("BatchMatMulV2", "product", {f.Op("Relu", "relu", {turned}), x})});
  }
  SECTION("beside an operand that is not turned") {
    f.Output({f.Op("Add", "add", {turned, f.Input({2, 4, 5})})});
  }
  SECTION("before a Reshape") {
    f.Output({f.Op("Reshape", "flat", {f.Op("Relu", "relu", {turned}), Ints(f, {40})})});
  }
  CHECK_FALSE(TransposeSinkPass(f.graph, f.context));
}
