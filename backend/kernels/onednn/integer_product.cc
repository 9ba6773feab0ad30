// onnx::ConvInteger, onnx::MatMulInteger, onnx::QLinearConv and onnx::QLinearMatMul with constant weights; fused ones of
// the latter two look their bytes up in a table.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "backend/kernels/byte_table.h"
#include "backend/kernels/onednn/byte_product_kernel.h"
#include "backend/kernels/onednn/byte_weights.h"
#include "compiler/ops/quantize_number.h"

namespace atc::kernels {
namespace {

// Input numbers; -1 where the operator has none.
struct Row {
  const char* type;
  bool convolution;
  int x, w, x_zero, w_zero, x_scale, w_scale, y_scale, y_zero, bias;
};

constexpr Row kRows[] = {
    {"onnx::ConvInteger", true, 0, 1, 2, 3, -1, -1, -1, -1, -1},
    {"onnx::MatMulInteger", false, 0, 1, 2, 3, -1, -1, -1, -1, -1},
    {"onnx::QLinearConv", true, 0, 3, 2, 5, 1, 4, 6, 7, 8},
    {"onnx::QLinearMatMul", false, 0, 3, 2, 5, 1, 4, 6, 7, -1},
};

// The product of the task: the node itself, or the one of its type in its fused graph.
const Node* FindProduct(const Node& node) {
  if (!node.fused) return &node;
  for (NodeId id = 0; id < node.fused->node_capacity(); ++id) {
    const Node& member = node.fused->node(id);
    if (member.alive && member.type() == node.type()) return &member;
  }
  return nullptr;
}

// The row with ports of the task for inputs of `product`.
Row ByPorts(Row row, const Node& task, const Node& product) {
  if (!task.fused) return row;
  for (int* input :
       {&row.x, &row.w, &row.x_zero, &row.w_zero, &row.x_scale, &row.w_scale, &row.y_scale, &row.y_zero, &row.bias}) {
    const bool given =
        *input >= 0 && *input < static_cast<int>(product.inputs.size()) && product.inputs[*input] != kNoId;
    const Node* source = given ? &task.fused->producer(product.inputs[*input]) : nullptr;
    *input = source != nullptr && source->type() == "Data" ? static_cast<int>(source->Attr<int64_t>("index")) : -1;
  }
  return row;
}

bool IsByte(DataType dtype) { return dtype == DT_INT8 || dtype == DT_UINT8; }

const Port* PortAt(const KernelSpec& spec, int i) {
  if (i < 0 || i >= static_cast<int>(spec.inputs.size()) || !spec.inputs[i].present) return nullptr;
  return &spec.inputs[i];
}

const Tensor* ConstantOf(const KernelSpec& spec, int i) {
  const Port* port = PortAt(spec, i);
  return port == nullptr ? nullptr : port->constant;
}

bool IsOne(const Tensor* tensor) { return tensor != nullptr && tensor->NumElements() == 1; }

std::unique_ptr<ByteProduct> MakeSums(const KernelSpec& spec, const Node& product, const Row& row, const Tensor& w,
                                      const Tensor* zero) {
  const Port& x = spec.inputs[row.x];
  if (row.convolution) {
    const ConvOutput fit = FitConv(product, x.shape, w.shape());
    if (!fit.fault.empty() || fit.shape.rank() != 4) return nullptr;
    const Tensor shifted = ShiftedWeights(w, zero, 0);
    return shifted.defined() ? MakeByteConvolution(fit.sizes, x.dtype, shifted, spec.threads) : nullptr;
  }
  if (w.rank() != 2 || x.shape.rank() < 2 || x.shape[x.shape.rank() - 1] != w.dim(0)) return nullptr;
  const Tensor shifted = ShiftedWeights(w, zero, 1);
  return shifted.defined() ? MakeByteMatrix(x.shape.NumElements() / w.dim(0), x.dtype, shifted, false, spec.threads)
                           : nullptr;
}

// The part of QLinearConv and QLinearMatMul after the sums; false where a number varies.
bool FindRounding(const KernelSpec& spec, const Node& product, const Row& row, ByteProductTask* task) {
  const Tensor *x_scale = ConstantOf(spec, row.x_scale), *w_scale = ConstantOf(spec, row.w_scale),
               *y_scale = ConstantOf(spec, row.y_scale), *y_zero = ConstantOf(spec, row.y_zero);
  const DataType y = spec.node.fused ? spec.node.fused->desc(product.outputs[0]).dtype : spec.outputs[0].dtype;
  int64_t low, high;
  if (!IsOne(x_scale) || w_scale == nullptr || !IsOne(y_scale) || !IsOne(y_zero) || !IsByte(y)) return false;
  for (const Tensor* scale : {x_scale, w_scale, y_scale}) {
    if (scale->dtype() != DT_FLOAT) return false;
  }
  const int64_t channels = task->product->channels();
  if (w_scale->NumElements() != 1 && !(w_scale->rank() == 1 && w_scale->NumElements() == channels)) return false;
  IntegerRange(y, &low, &high);
  task->form = ByteProductTask::kRounded;
  task->rounding = {*y_scale->Data<float>(), static_cast<int32_t>(ToDoubles(*y_zero)[0]), static_cast<int32_t>(low),
                    static_cast<int32_t>(high)};
  if (!std::isnormal(task->rounding.divisor)) return false;
  for (int64_t c = 0; c < channels; ++c) {
    task->scales.scale.push_back(static_cast<double>(*x_scale->Data<float>()) *
                                 w_scale->Data<float>()[w_scale->NumElements() == 1 ? 0 : c]);
    if (!std::isfinite(task->scales.scale.back())) return false;
  }
  task->scales.SetRounding(task->rounding);
  if (!spec.node.fused) return true;
  std::optional<std::vector<uint8_t>> table = FindByteTable(spec, product.outputs[0]);
  if (table) task->table = std::move(*table);
  return table.has_value();
}

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnIntegerProduct(const KernelSpec& spec) {
  const auto* found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) { return spec.node.type() == row.type; });
  const Node* product = found == std::end(kRows) ? nullptr : FindProduct(spec.node);
  if (product == nullptr || spec.outputs.size() != 1) return nullptr;
  const Row row = ByPorts(*found, spec.node, *product);
  if (row.x < 0) return nullptr;
  const Port& x = spec.inputs[row.x];
  const Tensor *w = ConstantOf(spec, row.w), *w_zero = ConstantOf(spec, row.w_zero);
  const Port *x_zero = PortAt(spec, row.x_zero), *bias = PortAt(spec, row.bias);
  if (w == nullptr || !IsByte(w->dtype()) || !IsByte(x.dtype)) return nullptr;
  if (PortAt(spec, row.w_zero) != nullptr && w_zero == nullptr) return nullptr;
  if (x_zero != nullptr && (x_zero->shape.NumElements() != 1 || x_zero->dtype != x.dtype)) return nullptr;
  if (x.shape.NumElements() == 0 || spec.outputs[0].shape.NumElements() == 0) return nullptr;
  ByteProductTask task;
  task.product = MakeSums(spec, *product, row, *w, w_zero);
  if (task.product == nullptr) return nullptr;
  task.zero_port = x_zero == nullptr ? -1 : row.x_zero;
  task.images = row.convolution;
  task.x_port = row.x;
  if (row.y_scale >= 0 && !FindRounding(spec, *product, row, &task)) return nullptr;
  if (bias != nullptr) {
    if (bias->constant == nullptr || bias->dtype != DT_INT32 || bias->shape.NumElements() != task.product->channels()) {
      return nullptr;
    }
    const auto values = bias->constant->Span<int32_t>();
    task.product->AddBias({values.begin(), values.end()});
  }
  return MakeByteProductKernel(spec, std::move(task));
}

}  // namespace atc::kernels
