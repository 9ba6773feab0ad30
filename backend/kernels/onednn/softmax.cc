// Softmax along an inner axis of a tensor in its origin layout, and its logarithm along any.
#include "backend/kernels/onednn/primitive_kernel.h"

namespace atc::kernels {
namespace {

constexpr auto kFloat = dnnl::memory::data_type::f32;

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnSoftmax(const KernelSpec& spec) {
  const bool logarithm = spec.node.type() == "LogSoftmaxV2";
  if ((!logarithm && !(spec.node.type() == "SoftmaxV2")) || spec.node.fused || spec.outputs.size() != 1) return nullptr;
  const Port& x = spec.inputs[0];
  const auto rank = static_cast<int64_t>(x.shape.rank());
  if ((x.dtype != DT_FLOAT && !IsHalf(x.dtype)) || x.dtype != spec.outputs[0].dtype) return nullptr;
  if (x.channels_last || spec.outputs[0].channels_last || rank < 1 || rank > 6 || x.shape.NumElements() == 0)
    return nullptr;
  const std::vector<int64_t> axes = spec.node.Attr<std::vector<int64_t>>("axes");
  if (axes.size() != 1) return nullptr;
  const auto axis = static_cast<int>(axes[0] < 0 ? axes[0] + rank : axes[0]);

  const dnnl::memory::desc desc(x.shape.dims(), kFloat, x.shape.Strides());
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto make = [=] {
#if DNNL_VERSION_MAJOR >= 3
    const auto algorithm = logarithm ? dnnl::algorithm::softmax_log : dnnl::algorithm::softmax_accurate;
    return Made<dnnl::softmax_forward>({Engine(), kind, algorithm, desc, desc, axis, Attributes()});
#else
    return logarithm ? Made<dnnl::logsoftmax_forward>({{kind, desc, axis}, Attributes(), Engine()})
                     : Made<dnnl::softmax_forward>({{kind, desc, axis}, Attributes(), Engine()});
#endif
  };
  HeavyParts parts;
  parts.heavy = &spec.node;
  auto kernel = std::make_unique<PrimitiveKernel>(spec, std::move(parts));
  kernel->AddInput(spec, DNNL_ARG_SRC, 0, desc);
  kernel->LeaveNan(spec);
  kernel->Finish(make(), desc, [make](bool) { return make(); });
  return kernel;
}

}  // namespace atc::kernels
