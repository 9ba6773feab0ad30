// Small graphs with quantised ends.
#pragma once

#include "compiler/passes/dead_code.h"
#include "compiler/passes/quantize_raising.h"
#include "test/compiler/pass_fixture.h"

namespace atc::test {

struct QuantizeFixture : PassFixture {
  ValueId Bytes(Shape shape, DataType dtype = DT_UINT8) {
    Tensor tensor = Tensor::Allocate(dtype, shape);
    for (int64_t i = 0; i < tensor.NumElements(); ++i) tensor.MutableData<uint8_t>()[i] = static_cast<uint8_t>(i * 37 + 11);
    inputs.push_back(tensor);
    return graph.AddData("", static_cast<int64_t>(inputs.size()) - 1, TensorDesc(dtype, shape, FORMAT_NCHW));
  }
  ValueId ByteConst(Shape shape, DataType dtype = DT_INT8) {
    Tensor tensor = Tensor::Allocate(dtype, std::move(shape));
    for (int64_t i = 0; i < tensor.NumElements(); ++i) tensor.MutableData<uint8_t>()[i] = static_cast<uint8_t>(i * 53 + 7);
    return graph.AddConst("bytes", tensor);
  }
  ValueId Scale(float scale) { return graph.AddConst("scale", Tensor::Scalar(scale)); }
  ValueId Zero(int zero, DataType dtype = DT_UINT8) {
    Tensor tensor = Tensor::Allocate(dtype, {});
    tensor.MutableData<uint8_t>()[0] = static_cast<uint8_t>(zero);
    return graph.AddConst("zero", tensor);
  }
  ValueId Dequantize(std::string name, ValueId x, float scale, int zero, DataType dtype = DT_UINT8) {
    return Op("onnx::DequantizeLinear", std::move(name), {x, Scale(scale), Zero(zero, dtype)});
  }
  ValueId Quantize(std::string name, ValueId x, float scale, int zero) {
    return Op("onnx::QuantizeLinear", std::move(name), {x, Scale(scale), Zero(zero)});
  }
  int RaiseAndCancel() {
    for (int round = 0; round < 8; ++round) {
      const bool raised = RaiseQuantizePass(graph, context);
      const bool cancelled = CancelQuantizePass(graph, context);
      PrunePass(graph, context);
      if (!raised && !cancelled) return round;
    }
    return 8;
  }
};

}  // namespace atc::test
