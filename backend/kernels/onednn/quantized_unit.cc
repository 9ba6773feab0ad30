// 8-bit convolutions and matrix products with what follows them: fused nodes whose operands are dequantised inside.
#include <cmath>

#include "backend/kernels/byte_table.h"
#include "backend/kernels/onednn/byte_product_kernel.h"
#include "backend/kernels/onednn/byte_weights.h"
#include "backend/kernels/quantize_scale.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/quantized_product.h"

namespace atc::kernels {
namespace {

// The constants of the task by port, undefined elsewhere.
std::vector<Tensor> Constants(const KernelSpec& spec) {
  std::vector<Tensor> constants;
  for (const Port& port : spec.inputs) constants.push_back(port.constant == nullptr ? Tensor() : *port.constant);
  return constants;
}

// Whether every number that the task scales and shifts with is known at load, the scale of the data aside.
bool AllConstant(const QuantizedProduct& product, const std::vector<Tensor>& constants) {
  for (const int port :
       {product.w.data, product.w.scale, product.w.zero, product.bias.data, product.bias.scale, product.bias.zero}) {
    if (port >= 0 && !constants[static_cast<size_t>(port)].defined()) return false;
  }
  return true;
}

std::unique_ptr<ByteProduct> MakeSums(const KernelSpec& spec, const QuantizedProduct& product,
                                      const std::vector<Tensor>& constants) {
  const Port& x = spec.inputs[product.x.data];
  const Port& y = spec.outputs[0];
  const Node& heavy = *product.heavy;
  const Tensor& w = constants[product.w.data];
  const Tensor* zero = product.w.zero < 0 ? nullptr : &constants[product.w.zero];
  if (IsChannelsLast(heavy)) return nullptr;  // the primitives below are made for channels first
  if (x.shape.NumElements() == 0 || y.shape.NumElements() == 0) return nullptr;
  if (heavy.type() == "Conv2D") {
    const ConvOutput fit = FitConv(heavy, x.shape, w.shape());
    if (!fit.fault.empty() || fit.shape.rank() != 4) return nullptr;
    const Tensor shifted = ShiftedWeights(w, zero, 0);
    return shifted.defined() ? MakeByteConvolution(fit.sizes, x.dtype, shifted, spec.threads) : nullptr;
  }
  const bool batched = heavy.def->FindAttr("adj_x1") != nullptr;
  if (heavy.Attr<bool>(batched ? "adj_x1" : "transpose_x1") || w.rank() != 2 || x.channels_last || y.channels_last) {
    return nullptr;
  }
  const bool transpose = heavy.Attr<bool>(batched ? "adj_x2" : "transpose_x2");
  const int64_t k = w.dim(transpose ? 1 : 0);
  if (x.shape.rank() < 2 || x.shape[x.shape.rank() - 1] != k) return nullptr;
  const Tensor shifted = ShiftedWeights(w, zero, transpose ? 0 : 1);
  return shifted.defined() ? MakeByteMatrix(x.shape.NumElements() / k, x.dtype, shifted, transpose, spec.threads)
                           : nullptr;
}

// The number that an operand of a clamp is, for every element.
const float* ScalarAt(const KernelSpec& spec, const Node& node, size_t i) {
  const Tensor* constant = ConstantAt(spec, node, i);
  return constant != nullptr && constant->dtype() == DT_FLOAT && constant->NumElements() == 1 ? constant->Data<float>()
                                                                                              : nullptr;
}

// Limits that a clamp puts on `value`; false where the node is none.
bool FindLimits(const KernelSpec& spec, const Node& node, ValueId value, float* low, float* high) {
  *low = -INFINITY;
  *high = INFINITY;
  const Name type = node.type();
  if (type == "Relu" || type == "Relu6") {
    *low = 0;
    if (type == "Relu6") *high = 6;
    return true;
  }
  if (type == "ClipByValue") {
    const float *least = ScalarAt(spec, node, 1), *most = ScalarAt(spec, node, 2);
    if (node.inputs[0] != value || least == nullptr || most == nullptr) return false;
    *low = *least;
    *high = *most;
    return !std::isnan(*low) && !std::isnan(*high);
  }
  if (!(type == "Maximum") && !(type == "Minimum")) return false;
  const float* limit = ScalarAt(spec, node, node.inputs[0] == value ? 1 : 0);
  if (limit == nullptr || std::isnan(*limit)) return false;
  (type == "Maximum" ? *low : *high) = *limit;
  return true;
}

int32_t QuantizeOne(const TileFunction& quantize, float value) {
  const float* argument = &value;
  float result;
  quantize.fn(&argument, &result, 1, quantize.params);
  return static_cast<int32_t>(result);
}

// Clamps and a QuantizeLinear after the heavy operator are one rounding with narrower limits: quantising keeps order.
// False where something else follows.
bool FindRounding(const KernelSpec& spec, const Node& heavy, Rounding* rounding, std::vector<uint8_t>* table) {
  const Graph& graph = *spec.node.fused;
  std::vector<std::pair<float, float>> limits;
  ValueId at = heavy.outputs[0];
  for (;;) {
    const std::vector<Use>& uses = graph.value(at).uses;
    if (uses.size() != 1) return false;
    const Node& user = graph.node(uses[0].node);
    float low, high;
    if (user.type() == "onnx::QuantizeLinear") {
      const std::optional<QuantizeScale> scale = FindQuantizeScale(spec, user);
      if (!scale || !std::isnormal(scale->scale) || scale->scale < 0) return false;
      std::optional<std::vector<uint8_t>> behind = FindByteTable(spec, user.outputs[0]);
      if (!behind) return false;
      *table = std::move(*behind);
      const TileFunction quantize = FindQuantizeTile(spec, user);
      rounding->divisor = scale->scale;
      rounding->zero = static_cast<int32_t>(scale->zero);
      rounding->low = static_cast<int32_t>(scale->low);
      rounding->high = static_cast<int32_t>(scale->high);
      // From the last clamp to the first: what the later ones cut off is cut off anyway.
      for (auto it = limits.rbegin(); it != limits.rend(); ++it) {
        const int32_t least = rounding->low, most = rounding->high;
        rounding->low = std::clamp(QuantizeOne(quantize, it->first), least, most);
        rounding->high = std::clamp(QuantizeOne(quantize, it->second), least, most);
        // A lower limit above the upper one gives the upper one everywhere.
        if (rounding->low > rounding->high) rounding->low = rounding->high;
      }
      return true;
    }
    if (!FindLimits(spec, user, at, &low, &high)) return false;
    limits.emplace_back(low, high);
    at = user.outputs[0];
  }
}

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnQuantizedUnit(const KernelSpec& spec) {
  const QuantizedProduct product = FindQuantizedProduct(spec.node);
  if (product.heavy == nullptr || spec.outputs.size() != 1) return nullptr;
  const std::vector<Tensor> constants = Constants(spec);
  if (!AllConstant(product, constants)) return nullptr;
  ByteProductTask task;
  task.product = MakeSums(spec, product, constants);
  if (task.product == nullptr) return nullptr;
  task.x_port = product.x.data;
  task.zero_port = product.x.zero;
  task.images = product.heavy->type() == "Conv2D";

  const bool fixed = constants[product.x.scale].defined();  // else a number of the run
  if (!fixed) task.scale_port = product.x.scale;
  const double scale_x = fixed ? *constants[product.x.scale].Data<float>() : 1;
  const Tensor& scale_w = constants[product.w.scale];
  const Tensor bias = FloatBias(product, constants);
  const int64_t channels = task.product->channels();
  if (bias.defined() && bias.NumElements() != channels) return nullptr;
  for (int64_t c = 0; c < channels; ++c) {
    task.scales.scale.push_back(scale_x *
                                static_cast<double>(scale_w.Data<float>()[scale_w.NumElements() == 1 ? 0 : c]));
    task.scales.add.push_back(bias.defined() ? bias.Data<float>()[c] : 0.0f);
  }
  const bool alone = spec.node.fused->NetOutput()->inputs[0] == product.heavy->outputs[0];
  if (alone) {
    task.form = ByteProductTask::kFloats;
  } else if (fixed && FindRounding(spec, *product.heavy, &task.rounding, &task.table)) {
    task.form = ByteProductTask::kQuantized;
    task.scales.SetRounding(task.rounding);
  } else {
    task.form = ByteProductTask::kFloats;
    task.tail = ElementwiseProgram::Make(spec, product.heavy);
    if (task.tail == nullptr) return nullptr;
  }
  return MakeByteProductKernel(spec, std::move(task));
}

}  // namespace atc::kernels
