#include "backend/kernels/byte_table.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "backend/kernels/for_team.h"
#include "backend/kernels/quantize_scale.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

class ByteTableKernel : public Kernel {
 public:
  ByteTableKernel(int port, const std::array<uint8_t, 256>& table, int64_t count, int threads)
      : port_(port), table_(table), count_(count), threads_(threads) {}

  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    const auto* in = static_cast<const uint8_t*>(inputs[port_]);
    auto* out = static_cast<uint8_t*>(outputs[0]);
    ForTeam(count_ > 64 * 1024 ? threads_ : 1, count_, [&](int64_t i) { out[i] = table_[in[i]]; });
  }

 private:
  int port_;
  std::array<uint8_t, 256> table_;
  int64_t count_;
  int threads_;
};

bool IsByte(DataType dtype) { return dtype == DT_INT8 || dtype == DT_UINT8; }

// As an operand that fits any number of elements.
Tensor AsNumber(const Tensor& constant) { return constant.rank() == 0 ? constant : constant.Reshaped({1}); }

Tensor AllBytes(DataType dtype) {
  Tensor all = Tensor::Allocate(dtype, {256});
  std::iota(all.MutableData<uint8_t>(), all.MutableData<uint8_t>() + 256, uint8_t{0});
  return all;
}

}  // namespace

std::unique_ptr<Kernel> MakeByteTable(const KernelSpec& spec) {
  if (spec.outputs.size() != 1 || !IsByte(spec.outputs[0].dtype)) return nullptr;
  int varying = -1;
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const Port& port = spec.inputs[i];
    if (!port.present) {
      arguments.emplace_back();
    } else if (port.constant != nullptr) {
      if (port.shape.NumElements() != 1) return nullptr;
      arguments.push_back(AsNumber(*port.constant));
    } else {
      if (varying >= 0 || !IsByte(port.dtype) || !(port.shape == spec.outputs[0].shape) ||
          port.channels_last != spec.outputs[0].channels_last) {
        return nullptr;
      }
      varying = static_cast<int>(i);
      arguments.push_back(AllBytes(port.dtype));
    }
  }
  if (varying < 0) return nullptr;
  const Tensor results = RunReferenceKernel(spec.node, std::move(arguments))[0];
  if (!IsByte(results.dtype()) || results.NumElements() != 256) return nullptr;
  std::array<uint8_t, 256> table;
  std::copy_n(results.Data<uint8_t>(), 256, table.begin());
  return std::make_unique<ByteTableKernel>(varying, table, spec.outputs[0].shape.NumElements(), spec.threads);
}

std::optional<std::vector<uint8_t>> FindByteTable(const KernelSpec& spec, ValueId bytes) {
  const Graph& graph = *spec.node.fused;
  Tensor values = AllBytes(graph.desc(bytes).dtype);
  ValueId at = bytes;
  for (;;) {
    const std::vector<Use>& uses = graph.value(at).uses;
    if (uses.size() != 1) return std::nullopt;
    const Node& user = graph.node(uses[0].node);
    if (user.type() == "NetOutput") break;
    std::vector<Tensor> arguments;
    for (size_t i = 0; i < user.inputs.size(); ++i) {
      const Tensor* constant = ConstantAt(spec, user, i);
      if (user.inputs[i] != kNoId && i != uses[0].input && (constant == nullptr || constant->NumElements() != 1))
        return std::nullopt;
      arguments.push_back(i == uses[0].input ? values : constant == nullptr ? Tensor() : AsNumber(*constant));
    }
    values = RunReferenceKernel(user, std::move(arguments))[0];
    if (values.NumElements() != 256) return std::nullopt;
    at = user.outputs[0];
  }
  if (at == bytes) return std::vector<uint8_t>();
  if (!IsByte(values.dtype())) return std::nullopt;
  return std::vector<uint8_t>(values.Data<uint8_t>(), values.Data<uint8_t>() + 256);
}

}  // namespace atc::kernels
