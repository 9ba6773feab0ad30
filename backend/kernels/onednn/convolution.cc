// Convolution with two spatial axes, over channels-last data or, where shapes were not known to the compiler, over NCHW.
#include "backend/kernels/convolution_parts.h"
#include "backend/kernels/onednn/primitive_kernel.h"

namespace atc::kernels {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnConvolution(const KernelSpec& spec) {
  std::optional<ConvolutionParts> found = FindConvolution(spec);
  if (!found) return nullptr;
  HeavyParts parts = std::move(found->heavy);
  const int x = found->x, w = found->w, b = found->bias;
  const Shape &in = found->in, &out = found->out, &filter = spec.inputs[w].shape;
  const int64_t groups = found->sizes.groups;
  const WindowAxis& h = found->sizes.axes[0];
  const WindowAxis& v = found->sizes.axes[1];
  const Dims strides = {h.stride, v.stride};
  const Dims dilates = {h.dilation - 1, v.dilation - 1};
  const Dims begin = {h.pad_begin, v.pad_begin};
  const Dims end = {h.pad_end, v.pad_end};
  const Dims filter_dims = groups == 1 ? Dims{filter[0], filter[1], filter[2], filter[3]}
                                       : Dims{groups, filter[0] / groups, filter[1], filter[2], filter[3]};
  // Channels first has only a general way through a matrix product, whose code takes 30 ms to be made at its first run.
  const bool turned = !found->channels_last;
  const dnnl::memory::desc x_desc({in[0], in[1], in[2], in[3]}, kFloat, Tag::nhwc);
  const dnnl::memory::desc y_desc({out[0], out[1], out[2], out[3]}, kFloat, Tag::nhwc);
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
  kernel->AddInput(spec, DNNL_ARG_SRC, x, x_desc, turned);
  kernel->AddConstant(spec, DNNL_ARG_WEIGHTS, w, w_plain, desc->weights_desc());
  if (b >= 0) kernel->AddConstant(spec, DNNL_ARG_BIAS, b, b_desc, b_desc);
  kernel->AddOperands(spec, post);
  if (turned) kernel->TurnResult(spec.outputs[0].shape);
  kernel->Finish(dnnl::convolution_forward(*desc), y_desc, desc->scratchpad_desc());
  return kernel;
}

}  // namespace atc::kernels
