#include "backend/kernels/quantize_scale.h"

#include "compiler/ops/quantize_number.h"

namespace atc::kernels {
namespace {

bool IsDequantize(const Node& node) { return node.type() == "onnx::DequantizeLinear"; }

DataType DtypeOf(const KernelSpec& spec, const Node& node) {
  if (spec.node.fused) return spec.node.fused->desc(IsDequantize(node) ? node.inputs[0] : node.outputs[0]).dtype;
  return IsDequantize(node) ? spec.inputs[0].dtype : spec.outputs[0].dtype;
}

}  // namespace

const Tensor* ConstantAt(const KernelSpec& spec, const Node& node, size_t i) {
  if (i >= node.inputs.size() || node.inputs[i] == kNoId) return nullptr;
  if (!spec.node.fused) return spec.inputs[i].constant;
  const Node& source = spec.node.fused->producer(node.inputs[i]);
  return source.type() == "Data" ? spec.inputs[static_cast<size_t>(source.Attr<int64_t>("index"))].constant : nullptr;
}

std::optional<QuantizeScale> FindQuantizeScale(const KernelSpec& spec, const Node& node) {
  const Tensor *scale = ConstantAt(spec, node, 1), *zero = ConstantAt(spec, node, 2);
  const bool has_zero = node.inputs.size() > 2 && node.inputs[2] != kNoId;
  if (scale == nullptr || scale->dtype() != DT_FLOAT || scale->NumElements() != 1) return {};
  if (has_zero && (zero == nullptr || zero->NumElements() != 1)) return {};
  const DataType dtype = DtypeOf(spec, node);
  int64_t low, high;
  if ((dtype != DT_INT8 && dtype != DT_UINT8) || !IntegerRange(dtype, &low, &high)) return {};
  QuantizeScale found;
  found.scale = *scale->Data<float>();
  found.zero = has_zero ? static_cast<float>(ToDoubles(*zero)[0]) : 0.0f;
  found.low = static_cast<float>(low);
  found.high = static_cast<float>(high);
  return found;
}

TileFunction FindQuantizeTile(const KernelSpec& spec, const Node& node) {
  const std::optional<QuantizeScale> found = FindQuantizeScale(spec, node);
  if (!found) return {};
  if (IsDequantize(node)) return DequantizeTile(found->scale, found->zero);
  return QuantizeTile(found->scale, found->zero, found->low, found->high);
}

}  // namespace atc::kernels
