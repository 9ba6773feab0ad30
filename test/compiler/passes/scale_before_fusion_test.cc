#include "compiler/passes/scale_before_fusion.h"

#include "test/compiler/passes/heavy_fixture.h"

using namespace atc;
using test::HeavyFixture;

namespace {

struct Consumer {
  const char* name;
  Shape x;
  Shape channels;  // a constant of one value a channel, as it is broadcast to x
  std::function<ValueId(HeavyFixture&, ValueId x, bool biased)> build;
  bool takes_shift = true;
  const char* format = "NCHW";  // of a norm before it; nullptr: none goes by these channels
};

ValueId Unpadded(HeavyFixture& f, ValueId y, int64_t spatial = 2) {
  f.graph.producer(y).attrs.Set("pads", std::vector<int64_t>(2 * spatial, 0));
  return y;
}

const std::vector<Consumer>& Consumers() {
  using F = HeavyFixture;
  static const std::vector<Consumer> consumers = {
      {"Conv2D",
       {2, 3, 5, 5},
       {3, 1, 1},
       [](F& f, ValueId x, bool b) { return Unpadded(f, f.Convolution("Conv2D", x, {4, 3, 3, 3}, 4, b, "NCHW")); }},
      {"Conv2D padded",
       {2, 3, 5, 5},
       {3, 1, 1},
       [](F& f, ValueId x, bool b) { return f.Convolution("Conv2D", x, {4, 3, 3, 3}, 4, b, "NCHW"); },
       false},
      {"Conv2D channels last",
       {2, 5, 5, 3},
       {3},
       [](F& f, ValueId x, bool b) { return Unpadded(f, f.Convolution("Conv2D", x, {4, 3, 3, 3}, 4, b, "NHWC")); },
       true,
       "NHWC"},
      {"Conv2D in groups",
       {2, 4, 5, 5},
       {1, 4, 1, 1},
       [](F& f, ValueId x, bool b) { return Unpadded(f, f.Convolution("Conv2D", x, {6, 2, 3, 3}, 6, b, "NCHW", 2)); }},
      {"Conv2D depthwise",
       {2, 4, 5, 5},
       {4, 1, 1},
       [](F& f, ValueId x, bool b) { return Unpadded(f, f.Convolution("Conv2D", x, {4, 1, 3, 3}, 4, b, "NCHW", 4)); }},
      {"Conv3D",
       {1, 2, 4, 4, 4},
       {2, 1, 1, 1},
       [](F& f, ValueId x, bool b) {
         return Unpadded(f, f.Convolution("Conv3D", x, {3, 2, 3, 3, 3}, 3, b, "NCDHW"), 3);
       },
       true,
       "NCDHW"},
      {"Conv2DTranspose",
       {2, 3, 5, 5},
       {3, 1, 1},
       [](F& f, ValueId x, bool b) { return f.Convolution("Conv2DTranspose", x, {3, 4, 3, 3}, 4, b, "NCHW"); },
       false},
      {"Conv2DTranspose in groups",
       {2, 4, 5, 5},
       {4, 1, 1},
       [](F& f, ValueId x, bool b) { return f.Convolution("Conv2DTranspose", x, {4, 3, 3, 3}, 6, b, "NCHW", 2); },
       false},
      {"MatMulV2",
       {3, 5},
       {5},
       [](F& f, ValueId x, bool b) { return f.Product("MatMulV2", x, {5, 4}, b, nullptr, 4); }},
      {"MatMulV2 of a transposed matrix",
       {3, 5},
       {1, 5},
       [](F& f, ValueId x, bool b) { return f.Product("MatMulV2", x, {4, 5}, b, "transpose_x2", 4); }},
      {"BatchMatMulV2",
       {2, 3, 5},
       {5},
       [](F& f, ValueId x, bool b) { return f.Product("BatchMatMulV2", x, {5, 4}, b, nullptr, 4); },
       true,
       nullptr},
  };
  return consumers;
}

}  // namespace

TEST_CASE("products and sums with constants go into what multiplies by constants behind them") {
  for (const Consumer& consumer : Consumers()) {
    for (const char* type : {"Mul", "RealDiv", "Add", "Sub"}) {
      for (const bool biased : {false, true}) {
        for (const bool scalar : {false, true}) {
          INFO(type << " + " << consumer.name << (biased ? " with a bias" : "") << (scalar ? ", one number" : ""));
          HeavyFixture f;
          const ValueId constant =
              f.Weights(scalar ? Shape(std::vector<int64_t>{}) : consumer.channels, 20, 0.5f, 2.0f);
          const ValueId y = consumer.build(f, f.Op(type, "before", {f.Input(consumer.x), constant}), biased);
          f.Output({y});
          const bool fuses =
              consumer.takes_shift || type == std::string_view("Mul") || type == std::string_view("RealDiv");
          f.KeepsResults([&] { CHECK(ScaleConvFusionPass(f.graph, f.context) == fuses); }, 1e-5);
          CHECK((f.graph.Find("before") == nullptr) == fuses);
        }
      }
    }
  }
}

TEST_CASE("a batch norm goes into what follows, unless padding would be shifted") {
  for (const Consumer& consumer : Consumers()) {
    if (consumer.format == nullptr) continue;
    INFO(consumer.name);
    HeavyFixture f;
    const ValueId x = f.Input(consumer.x);
    const int64_t channels = consumer.channels.NumElements();
    f.Output({consumer.build(f, f.Norm("norm", x, channels, consumer.format), true)});
    f.KeepsResults([&] { CHECK(ScaleConvFusionPass(f.graph, f.context) == consumer.takes_shift); }, 1e-5);
    CHECK((f.graph.Find("norm") == nullptr) == consumer.takes_shift);
  }
}

TEST_CASE("all that read it take it in") {
  HeavyFixture f;
  const ValueId x = f.Op("Sub", "before", {f.Weights({5}, 3), f.Input({3, 5})});
  f.Output({f.Op("MatMulV2", "a", {x, f.Weights({5, 4}, 1)}),
            f.Op("MatMulV2", "b", {x, f.Weights({5, 2}, 2), f.Weights({2}, 4)})});
  f.KeepsResults([&] { CHECK(ScaleConvFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.graph.Find("before") == nullptr);
  CHECK(f.graph.origins().Flatten(f.graph.Find("b")->origin) == std::vector<std::string>{"before", "b"});
}

TEST_CASE("other axes, other readers and computed operands stay") {
  HeavyFixture f;
  const ValueId x = f.Input({2, 3, 5, 5});
  const auto conv = [&](ValueId from) {
    return Unpadded(f, f.Convolution("Conv2D", from, {4, 3, 3, 3}, 4, true, "NCHW"));
  };
  SECTION("one value a column") { f.Output({conv(f.Op("Mul", "before", {x, f.Weights({5}, 1)}))}); }
  SECTION("an output of the model") {
    const ValueId before = f.Op("Mul", "before", {x, f.Weights({3, 1, 1}, 1)});
    f.Output({conv(before), before});
  }
  SECTION("another reader") {
    const ValueId before = f.Op("Mul", "before", {x, f.Weights({3, 1, 1}, 1)});
    f.Output({conv(before), f.Op("Relu", "", {before})});
  }
  SECTION("a computed factor") { f.Output({conv(f.Op("Mul", "before", {x, f.Input({3, 1, 1})}))}); }
  SECTION("a factor that makes the data larger") {
    f.Output({conv(f.Op("Mul", "before", {f.Input({1, 3, 1, 5}), f.Weights({2, 3, 5, 1}, 1)}))});
  }
  SECTION("a quotient of a constant") { f.Output({conv(f.Op("RealDiv", "before", {f.Weights({3, 1, 1}, 1), x}))}); }
  SECTION("a computed filter") {
    f.Output({f.Conv("conv", f.Op("Mul", "before", {x, f.Weights({3, 1, 1}, 1)}), f.Input({4, 3, 3, 3}))});
  }
  SECTION("rows of a transposed matrix") {
    const ValueId y = f.Op("MatMulV2", "product",
                           {f.Op("Mul", "before", {f.Input({5, 3}), f.Weights({3}, 1)}), f.Weights({5, 4}, 2)});
    f.graph.producer(y).attrs.Set("transpose_x1", true);
    f.Output({y});
  }
  SECTION("a sum before a padding that sizes decide") {
    const ValueId y = conv(f.Op("Add", "before", {x, f.Weights({3, 1, 1}, 1)}));
    f.graph.producer(y).attrs.Set("auto_pad", "SAME_UPPER");
    f.Output({y});
  }
  CHECK_FALSE(ScaleConvFusionPass(f.graph, f.context));
}

TEST_CASE("batch and places may be unknown, channels not") {
  const bool channels = GENERATE(true, false);
  HeavyFixture f;
  const ValueId x = f.graph.AddData("x", 0, TensorDesc(DT_FLOAT, {-1, channels ? 3 : -1, -1, -1}, FORMAT_NCHW));
  f.inputs.push_back(test::RandomFloats({2, 3, 6, 5}, 9));
  f.Output({Unpadded(f, f.Convolution("Conv2D", f.Op("Sub", "before", {x, f.Weights({3, 1, 1}, 1)}), {4, 3, 3, 3}, 4,
                                      false, "NCHW"))});
  f.KeepsResults([&] { CHECK(ScaleConvFusionPass(f.graph, f.context) == channels); }, 1e-5);
}

TEST_CASE("a scale that half floats cannot hold stays") {
  HeavyFixture f;
  const ValueId x = f.graph.AddData("x", 0, TensorDesc(DT_FLOAT16, {2, 3}, FORMAT_ND));
  const ValueId factor = f.graph.AddConst(
      "factor", Narrow(Tensor::From<float>(DT_FLOAT, {3}, std::vector<float>{6e4f, 1, 1}), DT_FLOAT16));
  const ValueId w = f.graph.AddConst("w", Narrow(test::RandomFloats({3, 4}, 1, 2, 4), DT_FLOAT16));
  f.Output({f.Op("MatMulV2", "product", {f.Op("Mul", "before", {x, factor}), w})});
  CHECK_FALSE(ScaleConvFusionPass(f.graph, f.context));
}

TEST_CASE("a scale stays that would take weights out of what fp16 holds or into its coarsest numbers") {
  struct Row {
    std::vector<float> scale;
    float weight;  // the largest
    bool fuses;
  };
  const Row row = GENERATE(Row{{3000.0f, 1, 1}, 100, false}, Row{{600.0f, 1, 1}, 100, true},
                           Row{{0.004f, 0.004f, 0.004f}, 0.001f, false}, Row{{0.004f, 0.004f, 0.004f}, 0.1f, true},
                           Row{{1, 1, 1e-5f}, 1, false}, Row{{1, 0, 1}, 1, true}, Row{{2, 2, 2}, 1e-6f, true},
                           Row{{2, 2, 2}, 1e5f, true});
  INFO(row.scale[0] << " " << row.scale[2] << " times " << row.weight);
  HeavyFixture f;
  const ValueId factor = f.graph.AddConst("factor", Tensor::From<float>(DT_FLOAT, {3}, row.scale));
  const ValueId w =
      f.graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {3, 1}, std::vector<float>{row.weight, -row.weight / 3, 0}));
  f.Output({f.Op("MatMulV2", "product", {f.Op("Mul", "before", {f.Input({2, 3}), factor}), w})});
  f.KeepsResults([&] { CHECK(ScaleConvFusionPass(f.graph, f.context) == row.fuses); }, 1e-5);
}

TEST_CASE("a summand stays that would make a bias that fp16 does not hold") {
  const float summand = GENERATE(30.0f, 30000.0f);
  HeavyFixture f;
  const ValueId w = f.graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {3, 1}, std::vector<float>{1, 1, 1}));
  const ValueId addend = f.graph.AddConst("addend", Tensor::From<float>(DT_FLOAT, {1}, std::vector<float>{summand}));
  f.Output({f.Op("MatMulV2", "product", {f.Op("Add", "before", {f.Input({2, 3}), addend}), w})});
  f.KeepsResults([&] { CHECK(ScaleConvFusionPass(f.graph, f.context) == (summand < 100)); }, 1e-5);
}
