// Normalisation by the statistics of the data: over trailing axes (LayerNorm, RmsNorm) and over groups of channels
// (InstanceNorm, GroupNormV2). Half tensors are widened row by row.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "backend/kernels/for_team.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/norm_rows.h"
#include "backend/kernels/rows.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

// Below so many elements a team costs more than it gains.
constexpr int64_t kTeamElements = 16 * 1024;

// How x is cut: rows that are normalised by themselves, each of `parts` stretches with a scale and a shift of their own,
// or with one for each element where there is one part.
struct Rows {
  int64_t count = 0;
  int64_t size = 0;      // elements of one
  int64_t parts = 1;
  int64_t period = 0;    // rows after which the parameters come again; 0: one parameter for each element of a row
  bool centered = true;
  float epsilon = 0;
};

class NormalizationKernel : public Kernel {
 public:
  NormalizationKernel(const KernelSpec& spec, const Rows& rows) : rows_(rows), dtype_(spec.inputs[0].dtype), threads_(spec.threads) {
    const int64_t wanted = rows.period == 0 ? rows.size : rows.parts * rows.period;
    for (size_t i = 1; i < spec.inputs.size(); ++i) {
      const Port& port = spec.inputs[i];
      if (!port.present) continue;
      Parameter& parameter = i == 1 ? scale_ : shift_;
      parameter.port = i;
      parameter.dtype = port.dtype;
      parameter.count = wanted;
      if (port.constant != nullptr) {
        parameter.held = Widen(*port.constant);
      } else if (IsHalf(port.dtype)) {
        parameter.at = scratch_;
        scratch_ += Padded(wanted);
      }
    }
    row_at_ = scratch_;
    if (IsHalf(dtype_)) scratch_ += Padded(rows.size) * static_cast<size_t>(threads_);
  }

  size_t scratch_bytes() const override { return scratch_; }
  bool Reads(size_t port) const override { return !(IsHeld(scale_, port) || IsHeld(shift_, port)); }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const float* scale = scale_.Get(inputs, scratch);
    const float* shift = shift_.Get(inputs, scratch);
    const auto width = static_cast<int64_t>(TileElementBytes(dtype_));
    const auto* x = static_cast<const std::byte*>(inputs[0]);
    auto* y = static_cast<std::byte*>(outputs[0]);
    const int64_t share = (rows_.count + threads_ - 1) / threads_;
    ForTeam(rows_.count * rows_.size >= kTeamElements ? threads_ : 1, threads_, [&](int member) {
      auto* wide = reinterpret_cast<float*>(scratch + row_at_ + static_cast<size_t>(member) * Padded(rows_.size));
      for (int64_t r = member * share; r < std::min(rows_.count, (member + 1) * share); ++r) {
        const std::byte* from = x + r * rows_.size * width;
        std::byte* to = y + r * rows_.size * width;
        if (dtype_ == DT_FLOAT) {
          Row(r, reinterpret_cast<const float*>(from), reinterpret_cast<float*>(to), scale, shift);
        } else {
          WidenTo(wide, from, dtype_, static_cast<size_t>(rows_.size));
          Row(r, wide, wide, scale, shift);
          NarrowTo(to, dtype_, wide, static_cast<size_t>(rows_.size));
        }
      }
    });
  }

 private:
  struct Parameter {
    size_t port = 0;  // 0: absent
    DataType dtype = DT_FLOAT;
    int64_t count = 0;
    Tensor held;
    size_t at = 0;  // in scratch, of half values that a run brings

    const float* Get(const void* const* inputs, std::byte* scratch) const {
      if (port == 0) return nullptr;
      if (held.defined()) return held.Data<float>();
      if (dtype == DT_FLOAT) return static_cast<const float*>(inputs[port]);
      auto* wide = reinterpret_cast<float*>(scratch + at);
      WidenTo(wide, inputs[port], dtype, static_cast<size_t>(count));
      return wide;
    }
  };

  static size_t Padded(int64_t floats) { return (static_cast<size_t>(floats) * sizeof(float) + 63) / 64 * 64; }
  static bool IsHeld(const Parameter& parameter, size_t port) {
    return parameter.port == port && port != 0 && parameter.held.defined();
  }

  void Row(int64_t r, const float* x, float* y, const float* scale, const float* shift) const {
    const RowStatistics statistics = StatisticsOf(x, rows_.size, rows_.centered);
    const float inverse = 1.0f / std::sqrt(statistics.mean_square + rows_.epsilon);
    if (rows_.period == 0) {
      NormalizeRow(y, x, rows_.size, statistics.mean, inverse, scale, shift);
      return;
    }
    const int64_t inner = rows_.size / rows_.parts;
    for (int64_t part = 0; part < rows_.parts; ++part) {
      const int64_t at = r % rows_.period * rows_.parts + part;
      const float factor = inverse * scale[at];
      ScaleShiftAll(y + part * inner, x + part * inner, factor, shift[at] - statistics.mean * factor, inner);
    }
  }

  Rows rows_;
  DataType dtype_;
  int threads_;
  Parameter scale_, shift_;
  size_t scratch_ = 0;
  size_t row_at_ = 0;
};

int64_t ElementsFrom(const Shape& shape, size_t first) {
  int64_t count = 1;
  for (size_t d = first; d < shape.rank(); ++d) count *= shape[d];
  return count;
}

// Over trailing axes, from the one that the attribute names or by the rank of gamma.
std::optional<Rows> TrailingRows(const Node& node, const Shape& x, const Port& gamma) {
  Rows rows;
  const auto rank = static_cast<int64_t>(x.rank());
  rows.centered = node.type() == "LayerNorm" || node.type() == "LayerNormV3" || node.type() == "onnx::LayerNormalization";
  const char* attr = node.type() == "LayerNorm" || node.type() == "LayerNormV3" ? "begin_norm_axis" : "axis";
  int64_t axis = node.type() == "RmsNorm" ? rank - static_cast<int64_t>(gamma.shape.rank()) : node.Attr<int64_t>(attr);
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank) return std::nullopt;
  rows.size = ElementsFrom(x, static_cast<size_t>(axis));
  rows.count = x.NumElements() / rows.size;
  rows.period = 0;
  rows.epsilon = node.Attr<float>("epsilon");
  return rows;
}

// Over the channels of a group and all that is behind them.
std::optional<Rows> GroupRows(const Node& node, const Shape& x) {
  const bool instance = node.type() == "InstanceNorm";
  const bool onnx = node.type() == "onnx::GroupNormalization";
  if (!onnx) {
    const auto format = node.Attr<std::string>("data_format");
    if (format != "NCHW" && format != "NCDHW" && format != "ND") return std::nullopt;
  }
  if (x.rank() < 2) return std::nullopt;
  const int64_t groups = instance ? x[1] : node.Attr<int64_t>("num_groups");
  if (groups < 1 || x[1] % groups != 0) return std::nullopt;
  Rows rows;
  rows.count = x[0] * groups;
  rows.size = x.NumElements() / rows.count;
  rows.parts = x[1] / groups;
  rows.period = groups;
  rows.epsilon = node.Attr<float>(node.type() == "GroupNormV2" ? "eps" : "epsilon");
  return rows;
}

}  // namespace

std::unique_ptr<Kernel> MakeNormalization(const KernelSpec& spec) {
  const Node& node = spec.node;
  constexpr const char* kTrailing[] = {"LayerNorm", "LayerNormV3", "RmsNorm", "onnx::LayerNormalization", "onnx::RMSNormalization"};
  constexpr const char* kGrouped[] = {"GroupNormV2", "InstanceNorm", "onnx::GroupNormalization"};
  const auto is_type = [&](const char* type) { return node.type() == type; };
  const bool trailing = std::any_of(std::begin(kTrailing), std::end(kTrailing), is_type);
  if ((!trailing && std::none_of(std::begin(kGrouped), std::end(kGrouped), is_type)) || node.fused) return nullptr;
  const Port& x = spec.inputs[0];
  if (!(x.dtype == DT_FLOAT || IsHalf(x.dtype)) || x.channels_last || x.shape.NumElements() == 0) return nullptr;
  if (spec.outputs[0].dtype != x.dtype || spec.outputs[0].channels_last) return nullptr;
  for (size_t i = 1; i < spec.outputs.size(); ++i) {
    if (spec.outputs[i].present) return nullptr;  // statistics
  }
  const std::optional<Rows> rows = trailing ? TrailingRows(node, x.shape, spec.inputs[1]) : GroupRows(node, x.shape);
  if (!rows) return nullptr;
  const int64_t wanted = trailing ? rows->size : rows->parts * rows->period;
  for (size_t i = 1; i < spec.inputs.size(); ++i) {
    const Port& port = spec.inputs[i];
    if (!port.present && trailing && i > 1) continue;
    const bool fits = port.present && (port.dtype == DT_FLOAT || IsHalf(port.dtype)) && !port.channels_last;
    if (!fits || port.shape.NumElements() != wanted) return nullptr;
  }
  return std::make_unique<NormalizationKernel>(spec, *rows);
}

}  // namespace atc::kernels
