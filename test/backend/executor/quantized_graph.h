// Graphs that quantise and dequantise, of random numbers.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"

namespace atc::test {

// Random bytes; `extreme` gives the largest values alone, whose sums saturate 16 bits.
inline Tensor RandomBytes(DataType dtype, Shape shape, uint32_t seed, bool extreme = false) {
  std::mt19937 random(seed);
  Tensor tensor = Tensor::Allocate(dtype, std::move(shape));
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    const uint32_t value = random();
    tensor.MutableData<uint8_t>()[i] =
        static_cast<uint8_t>(!extreme ? value : dtype == DT_UINT8 ? 255 : value % 8 == 0 ? 128 : 127);
  }
  return tensor;
}

inline int ByteAt(const Tensor& tensor, int64_t i) {
  return tensor.dtype() == DT_UINT8 ? tensor.Data<uint8_t>()[i] : tensor.Data<int8_t>()[i];
}

inline Tensor ByteOf(DataType dtype, int value) {
  Tensor tensor = Tensor::Allocate(dtype, {});
  tensor.MutableData<uint8_t>()[0] = static_cast<uint8_t>(value);
  return tensor;
}

struct QuantizedGraph {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>("g");

  ValueId Input(DataType dtype, Shape shape) {
    const auto index = static_cast<int64_t>(graph->Inputs().size());
    return graph->AddData("", index, TensorDesc(dtype, std::move(shape), FORMAT_NCHW));
  }
  ValueId Const(Tensor tensor) { return graph->AddConst("c", std::move(tensor)); }
  ValueId Op(const char* type, std::vector<ValueId> inputs) { return graph->Add(type, "", std::move(inputs), 1).outputs[0]; }
  // With one scale, or one an index of `axis`; an undefined zero point is left out.
  ValueId Scaled(const char* type, ValueId x, Tensor scale, Tensor zero, int64_t axis = 0) {
    Node& node = graph->Add(type, "", {x, Const(std::move(scale)), zero.defined() ? Const(std::move(zero)) : kNoId}, 1);
    node.attrs.Set("axis", axis);
    return node.outputs[0];
  }
  ValueId Dequantize(ValueId x, Tensor scale, Tensor zero = {}, int64_t axis = 0) {
    return Scaled("onnx::DequantizeLinear", x, std::move(scale), std::move(zero), axis);
  }
  ValueId Quantize(ValueId x, Tensor scale, Tensor zero) {
    return Scaled("onnx::QuantizeLinear", x, std::move(scale), std::move(zero));
  }
  std::unique_ptr<Graph> Finish(ValueId output) {
    graph->Add("NetOutput", "Node_Output", {output}, 0);
    return std::move(graph);
  }
};

}  // namespace atc::test
