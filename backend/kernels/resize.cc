// Resizing of a plane: rows are combined first, then columns.
#include <algorithm>
#include <cstring>
#include <optional>

#include "backend/kernels/for_team.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/rows.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ops/index_type.h"
#include "compiler/ops/resize_axis.h"

namespace atc::kernels {
namespace {

constexpr size_t kMostTaps = 64;

struct Taps {
  std::vector<int64_t> index;
  std::vector<float> weight;
};

class ResizeKernel : public Kernel {
 public:
  // x as [images, height, width, channels].
  ResizeKernel(std::vector<Taps> rows, std::vector<Taps> columns, int64_t images, int64_t height, int64_t width,
               int64_t channels, int threads)
      : rows_(std::move(rows)), columns_(std::move(columns)), images_(images), height_(height), width_(width),
        channels_(channels), threads_(threads) {}

  size_t scratch_bytes() const override { return static_cast<size_t>(threads_ * Room()) * sizeof(float); }
  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const auto* x = static_cast<const float*>(inputs[0]);
    auto* y = static_cast<float*>(outputs[0]);
    const auto out_rows = static_cast<int64_t>(rows_.size()), out_columns = static_cast<int64_t>(columns_.size());
    const int64_t tasks = images_ * out_rows;
    const int parts = threads_ > 1 && tasks * out_columns * channels_ > 16 * 1024 ? threads_ : 1;
    ForTeam(parts, parts, [&](int part) {
      float* mixed = reinterpret_cast<float*>(scratch) + part * Room();
      for (int64_t i = tasks * part / parts; i < tasks * (part + 1) / parts; ++i) {
        const float* image = x + i / out_rows * height_ * width_ * channels_;
        float* to = y + i * out_columns * channels_;
        Columns(Mixed(rows_[static_cast<size_t>(i % out_rows)], image, mixed), to);
      }
    });
  }

 private:
  int64_t Room() const { return (width_ * channels_ + 15) / 16 * 16; }

  // The row that these taps make of an image; where it is one of the image itself, that one.
  const float* Mixed(const Taps& taps, const float* image, float* mixed) const {
    const int64_t length = width_ * channels_;
    if (taps.index.size() == 1 && taps.weight[0] == 1) return image + taps.index[0] * length;
    const float* rows[kMostTaps];
    for (size_t k = 0; k < taps.index.size(); ++k) rows[k] = image + taps.index[k] * length;
    CombineRows(mixed, rows, taps.weight.data(), static_cast<int>(taps.index.size()), length);
    return mixed;
  }

  void Columns(const float* row, float* to) const {
    for (const Taps& taps : columns_) {
      if (channels_ == 1) {
        float sum = 0;
        for (size_t k = 0; k < taps.index.size(); ++k) sum += taps.weight[k] * row[taps.index[k]];
        *to = sum;
      } else if (taps.index.size() == 1 && taps.weight[0] == 1) {
        std::memcpy(to, row + taps.index[0] * channels_, static_cast<size_t>(channels_) * sizeof(float));
      } else {
        const float* columns[kMostTaps];
        for (size_t k = 0; k < taps.index.size(); ++k) columns[k] = row + taps.index[k] * channels_;
        CombineRows(to, columns, taps.weight.data(), static_cast<int>(taps.index.size()), channels_);
      }
      to += channels_;
    }
  }

  std::vector<Taps> rows_, columns_;
  int64_t images_, height_, width_, channels_;
  int threads_;
};

// Nothing where some place lies outside of x, or depends on very many.
std::optional<std::vector<Taps>> FindTaps(const ResizeRule& rule, const ResizeAxis& axis) {
  std::vector<Taps> found;
  if (rule.mode == "nearest") {
    for (const int64_t index : NearestIndices(rule, axis)) {
      if (index < 0) return std::nullopt;
      found.push_back({{index}, {1}});
    }
    return found;
  }
  if (IsIdentity(rule, axis)) {
    for (int64_t i = 0; i < axis.in; ++i) found.push_back({{i}, {1}});
    return found;
  }
  for (const ResizeTaps& taps : InterpolationTaps(rule, axis)) {
    if (taps.index.empty() || taps.index.size() > kMostTaps) return std::nullopt;
    Taps made{taps.index, {}};
    for (const double weight : taps.weight) made.weight.push_back(static_cast<float>(weight));
    found.push_back(std::move(made));
  }
  return found;
}

// Sizes or scales as constants tell them, for four axes.
std::optional<std::vector<ResizeAxis>> FindAxes(const KernelSpec& spec) {
  const Shape &x = spec.inputs[0].shape, &y = spec.outputs[0].shape;
  const auto constant = [&](size_t i) -> const Tensor* {
    const bool given = i < spec.inputs.size() && spec.inputs[i].present && spec.inputs[i].shape.NumElements() > 0;
    return given ? spec.inputs[i].constant : nullptr;
  };
  const Tensor* sizes = constant(3);
  const Tensor* scales = constant(2);
  if ((sizes ? sizes : scales) == nullptr || (sizes ? sizes : scales)->NumElements() != 4) return std::nullopt;
  if (!sizes && spec.inputs.size() > 3 && spec.inputs[3].present && spec.inputs[3].shape.NumElements() > 0) return std::nullopt;
  const std::vector<double> factors = sizes ? std::vector<double>() : ToDoubles(*scales);
  std::vector<ResizeAxis> axes(4);
  for (size_t d = 0; d < 4; ++d) {
    axes[d].in = x[d];
    axes[d].out = y[d];
    axes[d].scale = sizes ? static_cast<double>(y[d]) / static_cast<double>(x[d]) : factors[d];
    axes[d].length = sizes ? static_cast<double>(y[d]) : static_cast<double>(x[d]) * factors[d];
  }
  return axes;
}

}  // namespace

std::unique_ptr<Kernel> MakeResize(const KernelSpec& spec) {
  if (!(spec.node.type() == "Resize") || spec.node.fused || spec.outputs.size() != 1) return nullptr;
  const Port &x = spec.inputs[0], &y = spec.outputs[0];
  if (x.dtype != DT_FLOAT || y.dtype != DT_FLOAT || x.shape.rank() != 4 || y.shape.rank() != 4) return nullptr;
  if (x.channels_last != y.channels_last || x.shape.NumElements() == 0 || y.shape.NumElements() == 0) return nullptr;
  const ResizeRule rule = ReadResizeRule(spec.node);
  const bool known = rule.mode == "nearest" || rule.mode == "linear" || rule.mode == "cubic";
  if (!rule.fault.empty() || !known || rule.antialias || rule.coordinates == "tf_crop_and_resize") return nullptr;
  const auto axes = FindAxes(spec);
  if (!axes || x.shape[0] != y.shape[0] || x.shape[1] != y.shape[1] || (*axes)[0].scale != 1 || (*axes)[1].scale != 1) return nullptr;
  auto rows = FindTaps(rule, (*axes)[2]);
  auto columns = FindTaps(rule, (*axes)[3]);
  if (!rows || !columns) return nullptr;
  const bool last = x.channels_last;
  return std::make_unique<ResizeKernel>(std::move(*rows), std::move(*columns), last ? x.shape[0] : x.shape[0] * x.shape[1],
                                        x.shape[2], x.shape[3], last ? x.shape[1] : 1, spec.threads);
}

}  // namespace atc::kernels
