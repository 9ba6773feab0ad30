// Transposed convolution with two or three spatial axes, over channels-last data or in its origin layout.
#include "backend/kernels/onednn/primitive_kernel.h"
#include "compiler/ops/conv_transpose_fit.h"
#include "compiler/ops/index_type.h"

namespace atc::kernels {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;

enum Operand { kSize, kX, kFilter, kBias };

struct Misfit {};

// What FitTranspose asks of a context.
struct Context {
  const Node& heavy;
  const Node& node() const { return heavy; }
  [[noreturn]] void Fail(const std::string&) const { throw Misfit(); }
};

bool IsFloatPort(const Port& port) { return port.dtype == DT_FLOAT || IsHalf(port.dtype); }

std::optional<TransposeFit> Fit(const KernelSpec& spec, const HeavyParts& parts) {
  const Port& size = spec.inputs[static_cast<size_t>(parts.ports[kSize])];
  if (size.constant == nullptr) return std::nullopt;
  try {
    return FitTranspose(Context{*parts.heavy}, spec.inputs[static_cast<size_t>(parts.ports[kX])].shape,
                        spec.inputs[static_cast<size_t>(parts.ports[kFilter])].shape,
                        SizeOrNothing(ToInts(*size.constant)));
  } catch (const Misfit&) {
    return std::nullopt;  // a run tells what is wrong
  }
}

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnDeconvolution(const KernelSpec& spec) {
  const bool planes = spec.node.type() == "Conv2DTranspose";
  if ((!planes && !(spec.node.type() == "Conv3DTranspose")) || spec.outputs.size() != 1) return nullptr;
  HeavyParts parts = SplitHeavy(spec);
  if (!parts.fits || parts.ports.size() < 3) return nullptr;
  for (size_t i = 4; i < parts.ports.size(); ++i) {
    if (parts.ports[i] >= 0) return nullptr;  // offsets of quantised filters
  }
  const int x = parts.ports[kX], w = parts.ports[kFilter], b = parts.ports.size() > kBias ? parts.ports[kBias] : -1;
  if (x < 0 || w < 0 || parts.ports[kSize] < 0) return nullptr;
  for (const int port : {x, w, b}) {
    if (port >= 0 && !IsFloatPort(spec.inputs[static_cast<size_t>(port)])) return nullptr;
    if (port >= 0 && port != x && spec.inputs[static_cast<size_t>(port)].constant == nullptr) return nullptr;
  }
  const Port &from = spec.inputs[static_cast<size_t>(x)], &to = spec.outputs[0];
  if (from.channels_last != to.channels_last || from.shape.NumElements() == 0 || to.shape.NumElements() == 0)
    return nullptr;
  const std::optional<TransposeFit> fit = Fit(spec, parts);
  if (!fit || fit->axes.size() != (planes ? 2 : 3) || !(fit->shape == ChannelsFirst(*parts.heavy, to.shape)))
    return nullptr;
  Dims in = {fit->batch, fit->in_channels}, out = fit->shape.dims(), strides, dilates, begin, end;
  // The filter lies as [in, out / groups, kernel...].
  const int64_t groups = fit->groups, rows = fit->out_channels / groups, columns = fit->in_channels / groups;
  Dims filter = {rows, columns};
  int64_t taps = 1;
  for (const WindowAxis& axis : fit->axes) {
    in.push_back(axis.out);
    strides.push_back(axis.stride);
    dilates.push_back(axis.dilation - 1);
    begin.push_back(axis.pad_begin);
    // What is padded besides follows from the sizes.
    end.push_back((axis.out - 1) * axis.stride + axis.extent() - axis.in - axis.pad_begin);
    if (end.back() + axis.stride < 1) return nullptr;
    filter.push_back(axis.kernel);
    taps *= axis.kernel;
  }
  Dims filter_strides = {taps, rows * taps};
  for (size_t i = 2, rest = static_cast<size_t>(taps); i < filter.size(); ++i) {
    rest /= static_cast<size_t>(filter[i]);
    filter_strides.push_back(static_cast<int64_t>(rest));
  }
  if (groups > 1) {
    filter.insert(filter.begin(), groups);
    filter_strides.insert(filter_strides.begin(), columns * rows * taps);
  }
  const bool turned = !to.channels_last && !IsChannelsLast(*parts.heavy);
  const Tag layout = planes ? Tag::nhwc : Tag::ndhwc;
  const dnnl::memory::desc x_desc(in, kFloat, layout), y_desc(out, kFloat, layout);
  const dnnl::memory::desc w_any(filter, kFloat, Tag::any), w_plain(filter, kFloat, filter_strides);
  const dnnl::memory::desc b_desc({fit->out_channels}, kFloat, Tag::x);
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::deconvolution_direct;
  const auto describe = [=](const dnnl::primitive_attr& attr, const dnnl::memory::desc& weights) {
#if DNNL_VERSION_MAJOR >= 3
    return b >= 0 ? dnnl::deconvolution_forward::primitive_desc(Engine(), kind, algorithm, x_desc, weights, b_desc,
                                                                y_desc, strides, dilates, begin, end, attr)
                  : dnnl::deconvolution_forward::primitive_desc(Engine(), kind, algorithm, x_desc, weights, y_desc,
                                                                strides, dilates, begin, end, attr);
#else
    const dnnl::deconvolution_forward::desc op =
        b >= 0
            ? dnnl::deconvolution_forward::desc(kind, algorithm, x_desc, weights, b_desc, y_desc, strides, dilates,
                                                begin, end)
            : dnnl::deconvolution_forward::desc(kind, algorithm, x_desc, weights, y_desc, strides, dilates, begin, end);
    return dnnl::deconvolution_forward::primitive_desc(op, attr, Engine());
#endif
  };
  // Post-operations would be left to plain loops; the tail is not.
  PostOps post;
  post.fits = !spec.node.fused;
  std::optional<dnnl::deconvolution_forward::primitive_desc> desc;
  try {
    desc = DescribeWithTail(spec, parts, post, [&](const dnnl::primitive_attr& attr) { return describe(attr, w_any); });
  } catch (const dnnl::error&) {
    return nullptr;  // sizes that oneDNN does not serve
  }
  if (!desc) return nullptr;
  auto kernel = std::make_unique<PrimitiveKernel>(spec, std::move(parts));
  kernel->AddInput(spec, DNNL_ARG_SRC, x, x_desc, turned);
  kernel->AddConstant(spec, DNNL_ARG_WEIGHTS, w, w_plain, desc->weights_desc());
  if (b >= 0) kernel->AddConstant(spec, DNNL_ARG_BIAS, b, b_desc, b_desc);
  if (turned) kernel->TurnResult(to.shape);
  const auto again = [describe, weights = desc->weights_desc()](const dnnl::primitive_attr& attr) {
    return describe(attr, weights);
  };
  kernel->Finish(Made<dnnl::deconvolution_forward>(*desc), y_desc,
                 MakesAgain<dnnl::deconvolution_forward>(*desc, post, again));
  return kernel;
}

}  // namespace atc::kernels
