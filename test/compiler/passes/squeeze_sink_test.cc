#include "compiler/passes/squeeze_sink.h"

#include "test/compiler/passes/heavy_fixture.h"

using namespace atc;
using test::HeavyFixture;

namespace {

ValueId Shaped(HeavyFixture& f, const char* type, const char* name, ValueId x, int64_t axis) {
  const ValueId y = f.Op(type, name, {x});
  f.graph.producer(y).attrs.Set(std::string_view(type) == "Squeeze" ? "axis" : "axes", std::vector<int64_t>{axis});
  InferNode(f.graph, f.graph.producer(y));
  return y;
}

// A convolution along one axis, as a parser makes it: [2, 4, 10] -> [2, 4, 10].
ValueId Conv1D(HeavyFixture& f, const std::string& name, ValueId x) {
  const ValueId wide = Shaped(f, "Unsqueeze", (name + "/x").c_str(), x, 2);
  const ValueId y = f.Conv(name, wide, f.Weights({4, 4, 1, 3}, 1));
  f.graph.producer(y).attrs.Set("pads", std::vector<int64_t>{0, 0, 1, 1});
  InferNode(f.graph, f.graph.producer(y));
  return Shaped(f, "Squeeze", (name + "/y").c_str(), y, -2);
}

ValueId Inferred(HeavyFixture& f, ValueId y) {
  InferNode(f.graph, f.graph.producer(y));
  return y;
}

}  // namespace

TEST_CASE("between convolutions along one axis nothing is squeezed") {
  HeavyFixture f;
  const ValueId x = f.Input({2, 4, 10});
  ValueId y = Conv1D(f, "first", x);
  y = Inferred(f, f.Norm("norm", y, 4, "NCHW"));
  y = Inferred(f, f.Op("Relu", "relu", {y}));
  y = Inferred(f, f.Op("Add", "bias", {y, f.Weights({4, 1}, 2)}));
  y = Inferred(f, f.Op("Add", "residual", {Inferred(f, f.Op("Exp", "exp", {x})), y}));
  const ValueId joined = f.Op("ConcatD", "join", {y, y});
  f.graph.producer(joined).attrs.Set("concat_dim", int64_t{-1});
  f.Output({Conv1D(f, "second", Inferred(f, joined))});
  f.KeepsResults([&] { CHECK(SqueezeSinkPass(f.graph, f.context)); InferShapes(f.graph); }, 1e-6);
  CHECK(f.Count("Squeeze") == 1);    // at the end
  CHECK(f.Count("Unsqueeze") == 2);  // of x, and of the operand from elsewhere
  CHECK(f.graph.producer(f.graph.Find("second")->inputs[0]).name == "join");
  CHECK(f.graph.Find("join")->Attr<int64_t>("concat_dim") == 3);
  CHECK(f.graph.desc(f.graph.Find("relu")->outputs[0]).origin_shape == Shape{2, 4, 1, 10});
}

TEST_CASE("a Squeeze of other origin, or before another operator, stays") {
  HeavyFixture f;
  SECTION("of an input") { f.Output({f.Op("Relu", "relu", {Shaped(f, "Squeeze", "narrow", f.Input({2, 1, 3}), 1)})}); }
  SECTION("before a product") {
    f.Output({f.Op("BatchMatMulV2", "product", {Conv1D(f, "conv", f.Input({2, 4, 10})), f.Weights({10, 3}, 1)})});
  }
  CHECK_FALSE(SqueezeSinkPass(f.graph, f.context));
}
