// Convolution with two or three spatial axes, over channels-last data or in its origin layout.
#include <algorithm>

#include "backend/kernels/convolution_parts.h"
#include "backend/kernels/onednn/primitive_kernel.h"

namespace atc::kernels {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;

// Whether a window along one of the axes lies wholly in the padding. There oneDNN's generated code writes the bias
// alone and leaves operands of what follows out.
bool HasEmptyWindow(const std::vector<WindowAxis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const WindowAxis& axis) {
    for (int64_t o = 0; o < axis.out; ++o) {
      bool empty = true;
      for (int64_t tap = 0; tap < axis.kernel && empty; ++tap) {
        const int64_t at = o * axis.stride - axis.pad_begin + tap * axis.dilation;
        empty = at < 0 || at >= axis.in;
      }
      if (empty) return true;
    }
    return false;
  });
}

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnConvolution(const KernelSpec& spec) {
  std::optional<ConvolutionParts> found = FindConvolution(spec);
  if (!found) return nullptr;
  HeavyParts parts = std::move(found->heavy);
  const int x = found->x, w = found->w, b = found->bias;
  const Shape &in = found->in, &out = found->out, &filter = spec.inputs[w].shape;
  const int64_t groups = found->sizes.groups;
  Dims strides, dilates, begin, end;
  for (const WindowAxis& axis : found->sizes.axes) {
    strides.push_back(axis.stride);
    dilates.push_back(axis.dilation - 1);
    begin.push_back(axis.pad_begin);
    end.push_back(axis.pad_end);
  }
  Dims filter_dims = filter.dims();
  if (groups > 1) {
    filter_dims[0] /= groups;
    filter_dims.insert(filter_dims.begin(), groups);
  }
  // Channels first has only a general way through a matrix product, whose code takes 30 ms to be made at its first run.
  const bool turned = !found->channels_last;
  const Tag layout = in.rank() == 4 ? Tag::nhwc : Tag::ndhwc;
  const dnnl::memory::desc x_desc(in.dims(), kFloat, layout), y_desc(out.dims(), kFloat, layout);
  const dnnl::memory::desc w_any(filter_dims, kFloat, Tag::any),
      w_plain(filter_dims, kFloat, Shape(filter_dims).Strides());
  const dnnl::memory::desc b_desc({out[1]}, kFloat, Tag::x);

  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto describe = [=](const dnnl::primitive_attr& attr, const dnnl::memory::desc& weights) {
#if DNNL_VERSION_MAJOR >= 3
    return b >= 0 ? dnnl::convolution_forward::primitive_desc(Engine(), kind, algorithm, x_desc, weights, b_desc,
                                                              y_desc, strides, dilates, begin, end, attr)
                  : dnnl::convolution_forward::primitive_desc(Engine(), kind, algorithm, x_desc, weights, y_desc,
                                                              strides, dilates, begin, end, attr);
#else
    const dnnl::convolution_forward::desc op =
        b >= 0
            ? dnnl::convolution_forward::desc(kind, algorithm, x_desc, weights, b_desc, y_desc, strides, dilates, begin,
                                              end)
            : dnnl::convolution_forward::desc(kind, algorithm, x_desc, weights, y_desc, strides, dilates, begin, end);
    return dnnl::convolution_forward::primitive_desc(op, attr, Engine());
#endif
  };
  PostOps post = HasEmptyWindow(found->sizes.axes) ? PostOps() : FindPostOps(spec, *parts.heavy, y_desc, 1, turned);
  const auto desc =
      DescribeWithTail(spec, parts, post, [&](const dnnl::primitive_attr& attr) { return describe(attr, w_any); });
  if (!desc) return nullptr;
  auto kernel = std::make_unique<PrimitiveKernel>(spec, std::move(parts));
  kernel->AddInput(spec, DNNL_ARG_SRC, x, x_desc, turned);
  kernel->AddConstant(spec, DNNL_ARG_WEIGHTS, w, w_plain, desc->weights_desc());
  if (b >= 0) kernel->AddConstant(spec, DNNL_ARG_BIAS, b, b_desc, b_desc);
  kernel->AddOperands(spec, post);
  if (turned) kernel->TurnResult(spec.outputs[0].shape);
  const auto again = [describe, weights = desc->weights_desc()](const dnnl::primitive_attr& attr) {
    return describe(attr, weights);
  };
  kernel->Finish(Made<dnnl::convolution_forward>(*desc), y_desc,
                 MakesAgain<dnnl::convolution_forward>(*desc, post, again));
  return kernel;
}

}  // namespace atc::kernels
