// Convolution with two spatial axes, over channels-last data or, where shapes were not known to the compiler, over NCHW.
#include "backend/kernels/onednn/primitive_kernel.h"
#include "compiler/ops/conv_spec.h"
#include "compiler/ops/data_format.h"

namespace atc::kernels {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;

bool IsFloatPort(const KernelSpec& spec, int port) {
  const DataType dtype = spec.inputs[port].dtype;
  return dtype == DT_FLOAT || IsHalf(dtype);
}

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnConvolution(const KernelSpec& spec) {
  if (!(spec.node.type() == "Conv2D") || spec.outputs.size() != 1 || spec.outputs[0].shape.rank() != 4) return nullptr;
  HeavyParts parts = SplitHeavy(spec);
  if (!parts.fits || parts.ports.size() > 3) return nullptr;
  const int x = parts.ports[0];
  const int w = parts.ports[1];
  const int b = parts.ports.size() > 2 ? parts.ports[2] : -1;
  for (const int port : {x, w, b}) {
    if (port >= 0 && !IsFloatPort(spec, port)) return nullptr;
  }
  // A filter that changes from run to run is rare enough for the reference kernel.
  if (spec.inputs[x].channels_last != spec.outputs[0].channels_last || spec.inputs[w].constant == nullptr) return nullptr;
  if (b >= 0 && spec.inputs[b].constant == nullptr) return nullptr;
  const bool channels_last = spec.outputs[0].channels_last || IsChannelsLast(*parts.heavy);
  const Shape in = ChannelsFirst(*parts.heavy, spec.inputs[x].shape);
  const Shape& filter = spec.inputs[w].shape;
  const Shape out = ChannelsFirst(*parts.heavy, spec.outputs[0].shape);
  if (in.NumElements() == 0 || out.NumElements() == 0) return nullptr;
  const ConvOutput fit = FitConv(*parts.heavy, spec.inputs[x].shape, filter);
  if (!fit.fault.empty() || fit.sizes.axes.size() != 2) return nullptr;

  const int64_t groups = fit.sizes.groups;
  const WindowAxis& h = fit.sizes.axes[0];
  const WindowAxis& v = fit.sizes.axes[1];
  const Dims strides = {h.stride, v.stride};
  const Dims dilates = {h.dilation - 1, v.dilation - 1};
  const Dims begin = {h.pad_begin, v.pad_begin};
  const Dims end = {h.pad_end, v.pad_end};
  const Dims filter_dims = groups == 1 ? Dims{filter[0], filter[1], filter[2], filter[3]}
                                       : Dims{groups, filter[0] / groups, filter[1], filter[2], filter[3]};
  const Tag layout = channels_last ? Tag::nhwc : Tag::nchw;
  const dnnl::memory::desc x_desc({in[0], in[1], in[2], in[3]}, kFloat, layout);
  const dnnl::memory::desc y_desc({out[0], out[1], out[2], out[3]}, kFloat, layout);
  const dnnl::memory::desc w_any(filter_dims, kFloat, Tag::any);
  const dnnl::memory::desc w_plain(filter_dims, kFloat, groups == 1 ? Tag::oihw : Tag::goihw);
  const dnnl::memory::desc b_desc({out[1]}, kFloat, Tag::x);

  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto describe = [&](const dnnl::primitive_attr& attr) {
#if DNNL_VERSION_MAJOR >= 3
    return b >= 0 ? dnnl::convolution_forward::primitive_desc(Engine(), kind, algorithm, x_desc, w_any, b_desc, y_desc,
                                                              strides, dilates, begin, end, attr)
                  : dnnl::convolution_forward::primitive_desc(Engine(), kind, algorithm, x_desc, w_any, y_desc, strides,
                                                              dilates, begin, end, attr);
#else
    const dnnl::convolution_forward::desc op =
        b >= 0 ? dnnl::convolution_forward::desc(kind, algorithm, x_desc, w_any, b_desc, y_desc, strides, dilates, begin, end)
               : dnnl::convolution_forward::desc(kind, algorithm, x_desc, w_any, y_desc, strides, dilates, begin, end);
    return dnnl::convolution_forward::primitive_desc(op, attr, Engine());
#endif
  };
  PostOps post = FindPostOps(spec, *parts.heavy, y_desc, 1);
  const auto desc = DescribeWithTail(spec, parts, post, describe);
  if (!desc) return nullptr;
  auto kernel = std::make_unique<PrimitiveKernel>(spec, std::move(parts));
  kernel->AddInput(spec, DNNL_ARG_SRC, x, x_desc);
  kernel->AddConstant(spec, DNNL_ARG_WEIGHTS, w, w_plain, desc->weights_desc());
  if (b >= 0) kernel->AddConstant(spec, DNNL_ARG_BIAS, b, b_desc, b_desc);
  kernel->AddOperands(spec, post);
  kernel->Finish(dnnl::convolution_forward(*desc), y_desc, desc->scratchpad_desc());
  return kernel;
}

}  // namespace atc::kernels
