#include "compiler/passes/integer_product_fusion.h"

#include "compiler/passes/quantized_fusion.h"
#include "test/compiler/passes/quantize_fixture.h"

using namespace atc;
using test::QuantizeFixture;

namespace {

// DynamicQuantizeLinear, the sums, and what makes them floats.
struct DynamicFixture : QuantizeFixture {
  std::vector<ValueId> quantized;

  const std::vector<ValueId>& Quantized(ValueId x) {
    Node& node = graph.Add("onnx::DynamicQuantizeLinear", "quantize", {x}, 3);
    return quantized = node.outputs;
  }
  ValueId Floats(Shape shape) { return graph.AddConst("scales", test::RandomFloats(std::move(shape), 3, 0.01f, 0.2f)); }
  ValueId Sums(const char* type, ValueId w, ValueId zero_w) {
    std::vector<ValueId> in{quantized[0], w, quantized[2]};
    if (zero_w != kNoId) in.push_back(zero_w);
    return Op(type, "sums", in);
  }
  ValueId Float(ValueId sums) {
    const ValueId cast = Op("Cast", "cast", {sums});
    graph.producer(cast).attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT));
    return cast;
  }
  bool Run() { return IntegerProductFusionPass(graph, context); }
};

}  // namespace

TEST_CASE("dynamically quantised matrix products become one 8-bit operator with what follows") {
  const bool batched = GENERATE(false, true), columns = GENERATE(false, true), swapped = GENERATE(false, true);
  DynamicFixture f;
  f.Quantized(f.Input(batched ? Shape{2, 3, 8} : Shape{3, 8}));
  const ValueId zero = GENERATE(0, 1, 2) == 0 ? kNoId : columns ? f.ByteConst({5}) : f.Zero(3, DT_INT8);
  const ValueId sums = f.Float(f.Sums("onnx::MatMulInteger", f.ByteConst({8, 5}), zero));
  const ValueId scale = f.Op("Mul", "scale", {f.quantized[1], columns ? f.Floats({5}) : f.Scale(0.3f)});
  const ValueId product =
      f.Op("Mul", "product", swapped ? std::vector<ValueId>{scale, sums} : std::vector<ValueId>{sums, scale});
  f.Output({f.Op("Relu", "relu", {f.Op("Add", "bias", {product, f.Weights({5}, 4)})})});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-5);
  REQUIRE(f.graph.Find("product") != nullptr);
  CHECK(f.graph.Find("product")->type() == (batched ? "BatchMatMulV2" : "MatMulV2"));
  CHECK(f.Count("onnx::MatMulInteger") == 0);
  f.KeepsResults([&] { CHECK(QuantizedProductFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.Count("onnx::DequantizeLinear") + f.Count("Add") + f.Count("Relu") == 0);
}

TEST_CASE("dynamically quantised convolutions keep their window, padding with the zero point") {
  DynamicFixture f;
  f.Quantized(f.Input({1, 4, 6, 7}));
  const ValueId sums = f.Sums("onnx::ConvInteger", f.ByteConst({6, 2, 3, 2}), f.Zero(9, DT_INT8));
  AttrMap& attrs = f.graph.producer(sums).attrs;
  attrs.Set("pads", std::vector<int64_t>{1, 0, 2, 1});
  attrs.Set("strides", std::vector<int64_t>{2, 1});
  attrs.Set("dilations", std::vector<int64_t>{1, 2});
  attrs.Set("group", int64_t{2});
  f.Output({f.Op("Mul", "product", {f.Float(sums), f.Op("Mul", "scale", {f.Scale(0.3f), f.quantized[1]})})});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-5);
  CHECK(f.graph.Find("product")->type() == "Conv2D");
  f.KeepsResults([&] { CHECK(QuantizedProductFusionPass(f.graph, f.context)); }, 1e-5);
}

TEST_CASE("convolutions pad by modes, and their weights have a scale for each channel") {
  const char* mode = GENERATE("NOTSET", "SAME_LOWER", "SAME_UPPER", "VALID");
  const Shape scales = GENERATE(Shape{}, Shape{1}, Shape{3, 1, 1}, Shape{1, 3, 1, 1});
  INFO(mode << " " << scales.rank());
  DynamicFixture f;
  f.Quantized(f.Input({1, 2, 6, 5}));
  const ValueId sums = f.Sums("onnx::ConvInteger", f.ByteConst({3, 2, 3, 2}), f.Zero(9, DT_INT8));
  f.graph.producer(sums).attrs.Set("auto_pad", mode);
  f.graph.producer(sums).attrs.Set("strides", std::vector<int64_t>{2, 1});
  f.Output({f.Op("Mul", "product", {f.Float(sums), f.Op("Mul", "scale", {f.Floats(scales), f.quantized[1]})})});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-5);
  CHECK(f.graph.Find("product")->type() == "Conv2D");
  f.KeepsResults([&] { CHECK(QuantizedProductFusionPass(f.graph, f.context)); }, 1e-5);
}

TEST_CASE("sums that are scaled by one number or by constants alone are products as well") {
  const int form = GENERATE(0, 1, 2);
  DynamicFixture f;
  f.Quantized(f.Input({3, 8}));
  const ValueId sums = f.Float(f.Sums("onnx::MatMulInteger", f.ByteConst({8, 5}), kNoId));
  f.Output({f.Op("Mul", "product", {sums, form == 0 ? f.quantized[1] : form == 1 ? f.Scale(0.2f) : f.Floats({5})})});
  f.KeepsResults([&] { CHECK(f.Run()); }, 1e-5);
}

TEST_CASE("sums that others read, or that are scaled by anything else, stay whole numbers") {
  DynamicFixture f;
  f.Quantized(f.Input({3, 8}));
  SECTION("the sums are an output") {
    const ValueId sums = f.Sums("onnx::MatMulInteger", f.ByteConst({8, 5}), kNoId);
    f.Output({f.Op("Mul", "product", {f.Float(sums), f.quantized[1]}), sums});
  }
  SECTION("scales go by rows") {
    const ValueId sums = f.Float(f.Sums("onnx::MatMulInteger", f.ByteConst({8, 5}), kNoId));
    f.Output({f.Op("Mul", "product", {sums, f.Floats({3, 1})})});
  }
  SECTION("a scale widens the result") {
    const ValueId sums = f.Float(f.Sums("onnx::MatMulInteger", f.ByteConst({8, 5}), kNoId));
    f.Output({f.Op("Mul", "product", {sums, f.Floats({2, 1, 1})})});
  }
  SECTION("the weights are computed") {
    const ValueId sums = f.Float(f.Sums("onnx::MatMulInteger", f.Bytes({8, 5}, DT_INT8), kNoId));
    f.Output({f.Op("Mul", "product", {sums, f.quantized[1]})});
  }
  SECTION("32 bits may not hold the sum") {
    DynamicFixture g;
    g.Quantized(g.Input({1, kMaxByteTerms + 1}));
    const ValueId sums = g.Float(g.Sums("onnx::MatMulInteger", g.ByteConst({kMaxByteTerms + 1, 1}), kNoId));
    g.Output({g.Op("Mul", "product", {sums, g.quantized[1]})});
    CHECK_FALSE(g.Run());
    f.Output({f.quantized[0]});
  }
  SECTION("weights of one column and a scale of many") {
    const ValueId sums = f.Float(f.Sums("onnx::MatMulInteger", f.ByteConst({8, 1}), kNoId));
    f.Output({f.Op("Mul", "product", {sums, f.Floats({5})})});
  }
  SECTION("a vector of weights, of rows whose number is open") {
    f.Quantized(f.graph.AddData("rows", 1, TensorDesc(DT_FLOAT, {2, -1, 8}, FORMAT_ND)));
    const ValueId sums = f.Float(f.Sums("onnx::MatMulInteger", f.ByteConst({8}), kNoId));
    f.Output({f.Op("Mul", "product", {sums, f.Scale(0.5f)})});
  }
  CHECK_FALSE(f.Run());
}
