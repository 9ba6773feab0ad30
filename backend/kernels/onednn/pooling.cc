// Maximum and average pooling with two spatial axes, over channels-last data or NCHW.
#include "backend/kernels/onednn/primitive_kernel.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/pool_spec.h"

namespace atc::kernels {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;

// Windows that lie wholly in padding, or that dilate, are left to the reference kernel.
bool Simple(const WindowAxis& axis) {
  return axis.dilation == 1 && axis.pad_begin < axis.kernel && axis.pad_end < axis.kernel &&
         (axis.out - 1) * axis.stride + axis.kernel <= axis.in + axis.pad_begin + axis.pad_end;
}

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnPooling(const KernelSpec& spec) {
  const bool max = spec.node.type() == "MaxPoolV3";
  if ((!max && !(spec.node.type() == "AvgPoolV2")) || spec.node.fused || spec.outputs.size() != 1) return nullptr;
  if (spec.inputs[0].dtype != DT_FLOAT && !IsHalf(spec.inputs[0].dtype)) return nullptr;
  if (spec.inputs[0].channels_last != spec.outputs[0].channels_last || spec.outputs[0].shape.rank() != 4)
    return nullptr;
  const bool channels_last = spec.outputs[0].channels_last || IsChannelsLast(spec.node);
  const Shape in = ChannelsFirst(spec.node, spec.inputs[0].shape);
  const Shape out = ChannelsFirst(spec.node, spec.outputs[0].shape);
  if (in.NumElements() == 0 || out.NumElements() == 0) return nullptr;
  const PoolFit fit = FitPool(spec.node, spec.inputs[0].shape);
  if (!fit.fault.empty() || fit.axes.size() != 2 || !Simple(fit.axes[0]) || !Simple(fit.axes[1])) return nullptr;
  if (!max && spec.node.Attr<int64_t>("divisor_override") != 0) return nullptr;
  const auto algorithm = max                                 ? dnnl::algorithm::pooling_max
                         : spec.node.Attr<bool>("exclusive") ? dnnl::algorithm::pooling_avg_exclude_padding
                                                             : dnnl::algorithm::pooling_avg_include_padding;
  const WindowAxis& h = fit.axes[0];
  const WindowAxis& w = fit.axes[1];
  const Dims strides = {h.stride, w.stride};
  const Dims kernel_dims = {h.kernel, w.kernel};
  const Dims begin = {h.pad_begin, w.pad_begin};
  const Dims end = {h.pad_end, w.pad_end};
  const Tag layout = channels_last ? Tag::nhwc : Tag::nchw;
  const dnnl::memory::desc x_desc({in[0], in[1], in[2], in[3]}, kFloat, layout);
  const dnnl::memory::desc y_desc({out[0], out[1], out[2], out[3]}, kFloat, layout);
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto describe = [=](const dnnl::primitive_attr& attr) {
#if DNNL_VERSION_MAJOR >= 3
    return dnnl::pooling_forward::primitive_desc(Engine(), kind, algorithm, x_desc, y_desc, strides, kernel_dims,
                                                 {0, 0}, begin, end, attr);
#else
    const dnnl::pooling_forward::desc op(kind, algorithm, x_desc, y_desc, strides, kernel_dims, begin, end);
    return dnnl::pooling_forward::primitive_desc(op, attr, Engine());
#endif
  };
  const dnnl::pooling_forward::primitive_desc desc = describe(Attributes());
  HeavyParts parts;
  parts.heavy = &spec.node;
  auto kernel = std::make_unique<PrimitiveKernel>(spec, std::move(parts));
  kernel->AddInput(spec, DNNL_ARG_SRC, 0, x_desc);
  if (max) {
    kernel->KeepNumbers();
    kernel->LeaveNan(spec);
  }
  kernel->Finish(Made<dnnl::pooling_forward>(desc), y_desc,
                 MakesAgain<dnnl::pooling_forward>(desc, PostOps(), describe));
  return kernel;
}

}  // namespace atc::kernels
