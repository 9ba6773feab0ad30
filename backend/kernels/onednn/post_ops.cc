#include "backend/kernels/onednn/post_ops.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "compiler/ir/half.h"
#include "compiler/ops/data_format.h"

namespace atc::kernels {
namespace {

using dnnl::algorithm;

// Activations that are one eltwise post-operation. Its parameters are constants or attributes of the node.
struct Activation {
  std::string_view type;
  algorithm alg;
  float alpha = 0, beta = 0;
  const char* alpha_attr = nullptr;
};

constexpr Activation kActivations[] = {
    {"Abs", algorithm::eltwise_abs},
    {"Gelu", algorithm::eltwise_gelu_tanh},
#if DNNL_VERSION_MAJOR >= 3
    {"HardSwish", algorithm::eltwise_hardswish, 1.0f / 6, 0.5f},
#else
    {"HardSwish", algorithm::eltwise_hardswish},
#endif
    {"LeakyRelu", algorithm::eltwise_relu, 0, 0, "negative_slope"},
    {"Neg", algorithm::eltwise_linear, -1, 0},
    {"Relu", algorithm::eltwise_relu},
    {"Relu6", algorithm::eltwise_clip, 0, 6},
    {"Sigmoid", algorithm::eltwise_logistic},
    {"Sqrt", algorithm::eltwise_sqrt},
    {"Square", algorithm::eltwise_square},
    {"Swish", algorithm::eltwise_swish, 1, 0, "scale"},
    {"Tanh", algorithm::eltwise_tanh},
};

struct Eltwise {
  algorithm alg;
  float alpha, beta;
};

struct Arithmetic {
  std::string_view type;
  algorithm alg;
  bool commutes;
};

constexpr Arithmetic kArithmetic[] = {
    {"Add", algorithm::binary_add, true},        {"Maximum", algorithm::binary_max, true},
    {"Minimum", algorithm::binary_min, true},    {"Mul", algorithm::binary_mul, true},
    {"RealDiv", algorithm::binary_div, false},   {"Sub", algorithm::binary_sub, false},
    {"onnx::Div", algorithm::binary_div, false},
};

class Tail {
 public:
  Tail(const KernelSpec& spec, const Node& heavy, const dnnl::memory::desc& y, size_t channel, bool turned)
      : spec_(spec), graph_(*spec.node.fused), heavy_(heavy), y_(y), channel_(channel), turned_(turned) {}

  PostOps Run() {
    ValueId at = heavy_.outputs[0];
    while (at != graph_.NetOutput()->inputs[0]) {
      const std::vector<Use>& uses = graph_.value(at).uses;
      if (uses.size() != 1) return {};
      const Node& node = graph_.node(uses[0].node);
      if (node.outputs.size() != 1 || !(Append(node, uses[0].input))) return {};
      at = node.outputs[0];
    }
    post_.fits = graph_.value(at).uses.size() == 1;
    return std::move(post_);
  }

 private:
  bool Append(const Node& node, uint32_t chain) {
    const std::string_view type = node.type();
    for (const Activation& row : kActivations) {
      if (type != row.type) continue;
      return AppendEltwise(row.alg, row.alpha_attr ? node.Attr<float>(row.alpha_attr) : row.alpha, row.beta);
    }
    if (type == "GeluV2") {
      const bool tanh = node.Attr<std::string>("approximate") == "tanh";
      return AppendEltwise(tanh ? algorithm::eltwise_gelu_tanh : algorithm::eltwise_gelu_erf, 0, 0);
    }
    if (type == "Adds" || type == "Muls") {
      const float value = node.Attr<float>("value");
      return AppendEltwise(algorithm::eltwise_linear, type == "Muls" ? value : 1, type == "Adds" ? value : 0);
    }
    if (type == "HardSigmoid") {
      return AppendEltwise(algorithm::eltwise_linear, node.Attr<float>("alpha"), node.Attr<float>("beta")) &&
             AppendEltwise(algorithm::eltwise_clip, 0, 1);
    }
    if (type == "ClipByValue") {
      if (chain != 0) return false;
      const std::optional<float> low = Scalar(node.inputs[1]), high = Scalar(node.inputs[2]);
      if (!low || !high || !(*low <= *high)) return false;
      return AppendEltwise(algorithm::eltwise_clip, *low, *high);
    }
    for (const Arithmetic& row : kArithmetic) {
      if (type == row.type) return node.inputs.size() == 2 && AppendBinary(row, chain, node.inputs[1 - chain]);
    }
    return false;
  }

  // oneDNN 2's generated kernels keep one set of parameters an algorithm, the first; so a second one with others of its
  // own does not fit.
  bool AppendEltwise(algorithm alg, float alpha, float beta) {
    for (const Eltwise& before : eltwise_) {
      if (before.alg == alg && (before.alpha != alpha || before.beta != beta)) return false;
    }
    eltwise_.push_back({alg, alpha, beta});
    post_.loses_nan |= (alg == algorithm::eltwise_relu && alpha == 0) || alg == algorithm::eltwise_clip;
#if DNNL_VERSION_MAJOR >= 3
    post_.ops.append_eltwise(alg, alpha, beta);
#else
    post_.ops.append_eltwise(1.0f, alg, alpha, beta);
#endif
    return true;
  }

  bool AppendBinary(const Arithmetic& row, uint32_t chain, ValueId other) {
    if (const std::optional<float> value = Scalar(other);
        value && row.alg != algorithm::binary_max && row.alg != algorithm::binary_min) {
      const float v = *value;
      if (row.alg == algorithm::binary_div && (chain != 0 || v == 0)) return false;
      const bool scales = row.alg == algorithm::binary_mul || row.alg == algorithm::binary_div;
      const float alpha = row.alg == algorithm::binary_mul                 ? v
                          : row.alg == algorithm::binary_div               ? 1 / v
                          : row.alg == algorithm::binary_sub && chain != 0 ? -1
                                                                           : 1;
      const float beta = scales ? 0 : row.alg == algorithm::binary_sub && chain == 0 ? -v : v;
      if (AppendEltwise(algorithm::eltwise_linear, alpha, beta)) return true;
    }
    if (chain != 0 && !row.commutes) return false;
    const int port = PortOf(other);
    if (port < 0) return false;
    const std::optional<dnnl::memory::desc> desc = OperandDesc(spec_.inputs[static_cast<size_t>(port)]);
    if (!desc) return false;
    post_.operands.push_back({port, DNNL_ARG_ATTR_MULTIPLE_POST_OP(post_.ops.len()) | DNNL_ARG_SRC_1, *desc});
    post_.ops.append_binary(row.alg, *desc);
    post_.loses_nan |= row.alg == algorithm::binary_max || row.alg == algorithm::binary_min;
    return true;
  }

  // The outer port of a value that comes from outside of the fused graph, or -1.
  int PortOf(ValueId value) const {
    if (value == kNoId || !(graph_.producer(value).type() == "Data")) return -1;
    return static_cast<int>(graph_.producer(value).Attr<int64_t>("index"));
  }

  std::optional<float> Scalar(ValueId value) const {
    const int port = PortOf(value);
    if (port < 0) return std::nullopt;
    const Tensor* constant = spec_.inputs[static_cast<size_t>(port)].constant;
    if (constant == nullptr || constant->NumElements() != 1) return std::nullopt;
    if (constant->dtype() == DT_FLOAT) return *constant->Data<float>();
    if (constant->dtype() == DT_FLOAT16) return HalfToFloat(*constant->Data<uint16_t>());
    if (constant->dtype() == DT_BF16) return BFloat16ToFloat(*constant->Data<uint16_t>());
    return std::nullopt;
  }

  // An operand like the result, along its channels, or of one element.
  std::optional<dnnl::memory::desc> OperandDesc(const Port& port) const {
    if (port.dtype != DT_FLOAT && !IsHalf(port.dtype)) return std::nullopt;
    const Port& output = spec_.outputs[0];
    if (port.shape == output.shape) {
      // What the kernel turns into its own layout are input and result alone.
      return port.channels_last == output.channels_last && !turned_ ? std::optional(y_) : std::nullopt;
    }
    const size_t rank = output.shape.rank();
    if (port.shape.rank() > rank) return std::nullopt;
    Shape padded(std::vector<int64_t>(rank - port.shape.rank(), 1));
    padded.dims().insert(padded.dims().end(), port.shape.dims().begin(), port.shape.dims().end());
    padded = ChannelsFirst(heavy_, padded);
    const dnnl::memory::dims dims = y_.dims();
    dnnl::memory::dims own(rank, 1), strides(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
      if (padded[i] == 1) continue;
      if (i != channel_ || padded[i] != dims[i]) return std::nullopt;
      own[i] = dims[i];
    }
    // Of one row of channels every layout is the same.
    for (size_t i = 0; i < rank; ++i) strides[i] = i == channel_ ? 1 : own[channel_];
    return dnnl::memory::desc(own, dnnl::memory::data_type::f32, strides);
  }

  const KernelSpec& spec_;
  const Graph& graph_;
  const Node& heavy_;
  const dnnl::memory::desc& y_;
  size_t channel_;
  bool turned_;
  std::vector<Eltwise> eltwise_;
  PostOps post_;
};

}  // namespace

PostOps FindPostOps(const KernelSpec& spec, const Node& heavy, const dnnl::memory::desc& y, size_t channel,
                    bool turned) {
  if (spec.node.fused) return Tail(spec, heavy, y, channel, turned).Run();
  PostOps none;
  none.fits = true;
  return none;
}

}  // namespace atc::kernels
