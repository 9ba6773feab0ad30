// Average pooling of 8-bit tensors: fused nodes that dequantise, pool and quantise.
#include <array>

#include "backend/kernels/elementwise_program.h"
#include "backend/kernels/for_team.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/quantize_scale.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/pool_spec.h"

namespace atc::kernels {
namespace {

// The pooling inside the node, and what dequantises its input.
struct PoolingParts {
  const Node* pool = nullptr;
  const Node* dequantize = nullptr;
};

PoolingParts FindParts(const Node& node) {
  PoolingParts parts;
  if (!node.fused || !(node.type() == "AvgPoolV2" || node.type() == "GlobalAveragePool")) return parts;
  const Graph& graph = *node.fused;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& member = graph.node(id);
    if (!member.alive || !(member.type() == node.type())) continue;
    parts.pool = &member;
    parts.dequantize = &graph.producer(member.inputs[0]);
  }
  return parts;
}

// How far apart elements lie in storage.
struct Strides {
  int64_t image, channel, place;
};

Strides StridesOf(const Shape& shape, int64_t places, bool channels_last) {
  const int64_t channels = shape[1];
  return channels_last ? Strides{channels * places, 1, channels} : Strides{channels * places, places, 1};
}

class BytePoolingKernel : public Kernel {
 public:
  BytePoolingKernel(const KernelSpec& spec, int port, PoolFit fit, bool counts_padding, int64_t divisor,
                    const QuantizeScale& scale, std::unique_ptr<ElementwiseProgram> tail)
      : x_(spec.inputs[port]), y_(spec.outputs[0]), port_(port), threads_(spec.threads), axes_(std::move(fit.axes)),
        counts_padding_(counts_padding), divisor_(divisor), tail_(std::move(tail)) {
    int64_t in = 1, out = 1;
    for (const WindowAxis& axis : axes_) {
      in *= axis.in;
      out *= axis.out;
    }
    from_ = StridesOf(x_.shape, in, x_.channels_last);
    to_ = StridesOf(y_.shape, out, y_.channels_last);
    for (int i = 0; i < 256; ++i) {
      const int value = x_.dtype == DT_UINT8 ? i : static_cast<int8_t>(i);
      values_[i] = static_cast<double>((static_cast<float>(value) - scale.zero) * scale.scale);
    }
  }

  size_t scratch_bytes() const override { return static_cast<size_t>(y_.shape.NumElements()) * sizeof(float); }

  // Values are multiples of the scale's last place, so that sums in double are exact in any order, as those of the
  // reference kernel are.
  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const auto* x = static_cast<const uint8_t*>(inputs[port_]);
    auto* y = reinterpret_cast<float*>(scratch);
    const int64_t images = x_.shape[0], channels = x_.shape[1];
    ForEachWindow(axes_, [&](int64_t place, const std::vector<WindowRun>& runs, int64_t padded_area) {
      int64_t count = 0;
      for (const WindowRun& run : runs) count += run.count;
      const int64_t divisor = divisor_ != 0 ? divisor_ : counts_padding_ ? padded_area : count;
      ForTeam(images * channels * count > 65536 ? threads_ : 1, images * channels, [&](int64_t plane) {
        const int64_t n = plane / channels, c = plane % channels;
        const uint8_t* from = x + n * from_.image + c * from_.channel;
        double sum = 0;
        for (const WindowRun& run : runs) {
          for (int64_t i = 0; i < run.count; ++i) sum += values_[from[(run.offset + i * run.step) * from_.place]];
        }
        const double mean = divisor == 0 ? 0.0 : sum / static_cast<double>(divisor);
        y[n * to_.image + c * to_.channel + place * to_.place] = static_cast<float>(mean);
      });
    });
    tail_->Run(inputs, y, outputs[0], threads_);
  }

 private:
  Port x_;
  Port y_;
  int port_;
  int threads_;
  std::vector<WindowAxis> axes_;
  bool counts_padding_;
  int64_t divisor_;
  std::unique_ptr<ElementwiseProgram> tail_;
  Strides from_;
  Strides to_;
  std::array<double, 256> values_;
};

}  // namespace

std::unique_ptr<Kernel> MakeBytePooling(const KernelSpec& spec) {
  const PoolingParts parts = FindParts(spec.node);
  if (parts.pool == nullptr || IsChannelsLast(*parts.pool) || parts.dequantize->type() != "onnx::DequantizeLinear") return nullptr;
  const Node& source = spec.node.fused->producer(parts.dequantize->inputs[0]);
  const std::optional<QuantizeScale> scale = FindQuantizeScale(spec, *parts.dequantize);
  if (!scale || source.type() != "Data") return nullptr;
  const auto port = static_cast<int>(source.Attr<int64_t>("index"));
  const Shape& x = spec.inputs[port].shape;
  if (x.rank() < 3 || x.NumElements() == 0 || spec.outputs[0].shape.NumElements() == 0) return nullptr;
  PoolFit fit;
  bool counts_padding = false;
  int64_t divisor = 0;
  if (parts.pool->type() == "GlobalAveragePool") {
    WindowAxis all;
    all.in = all.kernel = x.NumElements() / (x[0] * x[1]);
    all.out = 1;
    fit.axes = {all};
  } else {
    fit = FitPool(*parts.pool, x);
    if (!fit.fault.empty()) return nullptr;
    counts_padding = !parts.pool->Attr<bool>("exclusive");
    divisor = parts.pool->Attr<int64_t>("divisor_override");
  }
  std::unique_ptr<ElementwiseProgram> tail = ElementwiseProgram::Make(spec, parts.pool);
  if (tail == nullptr) return nullptr;
  return std::make_unique<BytePoolingKernel>(spec, port, std::move(fit), counts_padding, divisor, *scale,
                                             std::move(tail));
}

}  // namespace atc::kernels
