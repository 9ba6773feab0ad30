#include "backend/kernels/convolution_parts.h"

#include "compiler/ops/conv_spec.h"
#include "compiler/ops/data_format.h"

namespace atc::kernels {
namespace {

bool IsFloatPort(const KernelSpec& spec, int port) {
  const DataType dtype = spec.inputs[static_cast<size_t>(port)].dtype;
  return dtype == DT_FLOAT || IsHalf(dtype);
}

}  // namespace

std::optional<ConvolutionParts> FindConvolution(const KernelSpec& spec) {
  const size_t axes = spec.node.type() == "Conv2D" ? 2 : spec.node.type() == "Conv3D" ? 3 : 0;
  if (axes == 0 || spec.outputs.size() != 1 || spec.outputs[0].shape.rank() != axes + 2) return std::nullopt;
  ConvolutionParts found;
  found.heavy = SplitHeavy(spec);
  const std::vector<int>& ports = found.heavy.ports;
  if (!found.heavy.fits || ports.size() > 3) return std::nullopt;
  found.x = ports[0];
  found.w = ports[1];
  found.bias = ports.size() > 2 ? ports[2] : -1;
  for (const int port : {found.x, found.w, found.bias}) {
    if (port >= 0 && !IsFloatPort(spec, port)) return std::nullopt;
  }
  const Port &x = spec.inputs[static_cast<size_t>(found.x)], &w = spec.inputs[static_cast<size_t>(found.w)];
  // A filter that changes from run to run is rare enough for the reference kernel.
  if (x.channels_last != spec.outputs[0].channels_last || w.constant == nullptr) return std::nullopt;
  if (found.bias >= 0 && spec.inputs[static_cast<size_t>(found.bias)].constant == nullptr) return std::nullopt;
  const Node& heavy = *found.heavy.heavy;
  found.channels_last = x.channels_last || IsChannelsLast(heavy);
  found.in = ChannelsFirst(heavy, x.shape);
  found.out = ChannelsFirst(heavy, spec.outputs[0].shape);
  if (found.in.NumElements() == 0 || found.out.NumElements() == 0) return std::nullopt;
  ConvOutput fit = FitConv(heavy, x.shape, w.shape);
  if (!fit.fault.empty() || fit.sizes.axes.size() != axes) return std::nullopt;
  found.sizes = std::move(fit.sizes);
  return found;
}

}  // namespace atc::kernels
