#include "compiler/passes/dequantize_folding.h"

#include <algorithm>

#include "test/compiler/passes/quantize_fixture.h"

using namespace atc;
using test::QuantizeFixture;

TEST_CASE("a DequantizeLinear of constants becomes a constant, made when it is asked for") {
  QuantizeFixture f;
  Tensor bytes = Tensor::Allocate(DT_INT8, {3});
  for (int i = 0; i < 3; ++i) bytes.MutableData<int8_t>()[i] = static_cast<int8_t>(10 * i - 10);
  const ValueId w =
      f.Op("onnx::DequantizeLinear", "dw", {f.graph.AddConst("w", bytes), f.Scale(0.5f), f.Zero(-2, DT_INT8)});
  f.Output({f.Op("Add", "sum", {f.Dequantize("dx", f.Bytes({3}), 0.1f, 7), w})});
  f.KeepsResults([&] { CHECK(FoldDequantizePass(f.graph, f.context)); }, 0);
  CHECK(f.graph.Find("dw") == nullptr);
  CHECK(f.graph.Find("dx") != nullptr);
  const Tensor* folded = f.graph.ConstantInput(*f.graph.Find("sum"), 1);
  REQUIRE(folded != nullptr);
  CHECK(folded->deferred());
  // (q - zero) * scale
  CHECK(ToDoubles(folded->Materialized()) == std::vector<double>{-4, 1, 6});
  CHECK_FALSE(FoldDequantizePass(f.graph, f.context));
}

TEST_CASE("bytes stay bytes where floats in their place would make the model too large") {
  const int64_t size = GENERATE(21800, 21900);  // each takes three bytes more: 65,400 and 65,700
  QuantizeFixture f;
  FoldLedger ledger;
  f.context.folding = &ledger;
  Tensor ramp = Tensor::Allocate(DT_INT8, {size});
  for (int64_t i = 0; i < size; ++i) ramp.MutableData<int8_t>()[i] = static_cast<int8_t>(i % 101);
  const ValueId bytes = f.graph.AddConst("w", ramp);
  const ValueId w = f.Op("onnx::DequantizeLinear", "dw", {bytes, f.Scale(0.5f), f.Zero(-2, DT_INT8)});
  f.Output({f.Op("Exp", "exp", {w})});
  const bool folds = size == 21800;
  CHECK(FoldDequantizePass(f.graph, f.context) == folds);
  CHECK(ledger.kept.size() == (folds ? 0 : 1));
  CHECK(ledger.grown == (folds ? 3 * size - 5 : 0));  // the scale and the zero point go too
}

TEST_CASE("bytes that repeat become floats that repeat, whatever the size") {
  QuantizeFixture f;
  FoldLedger ledger;
  f.context.folding = &ledger;
  Tensor same = Tensor::Allocate(DT_INT8, {100000});
  std::fill_n(same.MutableData<int8_t>(), 100000, int8_t{7});
  const ValueId w =
      f.Op("onnx::DequantizeLinear", "dw", {f.graph.AddConst("w", same), f.Scale(0.5f), f.Zero(-2, DT_INT8)});
  f.Output({f.Op("Exp", "exp", {w})});
  CHECK(FoldDequantizePass(f.graph, f.context));
  CHECK(ledger.grown == 4 - 1 - 5);  // a float for a byte, a scale and a zero point
}
