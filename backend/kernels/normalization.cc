// Normalisation by the statistics of the data: over trailing axes (LayerNorm, RmsNorm, those of a sum) and over groups of
// channels (InstanceNorm, GroupNormV2). Half tensors are widened row by row; a sum lies in the row that is normalised, so that
// memory is walked once.
#include <algorithm>
#include <array>
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

// Most tensors that are added up.
constexpr size_t kMaxTerms = 3;

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

// The places of operands and results; 0: absent.
struct Places {
  size_t terms = 1;  // operands before the parameters, whose sum is normalised
  size_t scale = 1, shift = 2, bias = 0;
  size_t mean = 0, rstd = 0, variance = 0, sum = 0;
};

class NormalizationKernel : public Kernel {
 public:
  NormalizationKernel(const KernelSpec& spec, const Rows& rows, const Places& places)
      : rows_(rows), places_(places), dtype_(spec.inputs[0].dtype), threads_(spec.threads), terms_(places.terms) {
    const int64_t wanted = rows.period == 0 ? rows.size : rows.parts * rows.period;
    SetParameter(spec, places.scale, wanted, &scale_);
    SetParameter(spec, places.shift, wanted, &shift_);
    if (places.bias != 0 && spec.inputs[places.bias].shape.NumElements() == rows.size) {
      SetParameter(spec, places.bias, rows.size, &bias_);
    } else if (places.bias != 0) {
      whole_bias_ = places.bias;
      ++terms_;
    }
    row_at_ = scratch_;
    for (const size_t at : {places.mean, places.rstd, places.variance}) {
      if (at != 0) statistics_ = spec.outputs[at].dtype;
    }
    // One of several results may be y, which need not be written.
    wide_rows_ = IsHalf(dtype_) ? terms_ : spec.outputs.size() > 1 ? 1 : 0;
    scratch_ += Padded(rows.size) * wide_rows_ * static_cast<size_t>(threads_);
  }

  size_t scratch_bytes() const override { return scratch_; }
  bool Reads(size_t port) const override {
    return !(IsHeld(scale_, port) || IsHeld(shift_, port) || IsHeld(bias_, port));
  }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const Operands operands{inputs, outputs, scale_.Get(inputs, scratch), shift_.Get(inputs, scratch),
                            bias_.Get(inputs, scratch)};
    const int64_t share = (rows_.count + threads_ - 1) / threads_;
    ForTeam(rows_.count * rows_.size >= kTeamElements ? threads_ : 1, threads_, [&](int member) {
      std::byte* wide = scratch + row_at_ + static_cast<size_t>(member) * wide_rows_ * Padded(rows_.size);
      for (int64_t r = member * share; r < std::min(rows_.count, (member + 1) * share); ++r) Row(r, operands, wide);
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

  struct Operands {
    const void* const* inputs;
    void* const* outputs;
    const float *scale, *shift, *bias;
  };

  void SetParameter(const KernelSpec& spec, size_t at, int64_t count, Parameter* parameter) {
    if (at == 0 || at >= spec.inputs.size() || !spec.inputs[at].present) return;
    const Port& port = spec.inputs[at];
    parameter->port = at;
    parameter->dtype = port.dtype;
    parameter->count = count;
    if (port.constant != nullptr) {
      parameter->held = Widen(*port.constant);
    } else if (IsHalf(port.dtype)) {
      parameter->at = scratch_;
      scratch_ += Padded(count);
    }
  }

  static size_t Padded(int64_t floats) { return (static_cast<size_t>(floats) * sizeof(float) + 63) / 64 * 64; }
  static bool IsHeld(const Parameter& parameter, size_t port) {
    return parameter.port == port && port != 0 && parameter.held.defined();
  }

  // Row `r` of operand or result `data`; nullptr of a result that nobody reads.
  template <typename T>
  T* RowOf(T* data, int64_t r) const {
    return data == nullptr ? nullptr : data + r * rows_.size * static_cast<int64_t>(TileElementBytes(dtype_));
  }

  // `wide`: room for rows in float, of halves one for each term.
  void Row(int64_t r, const Operands& operands, std::byte* wide) const {
    const bool half = dtype_ != DT_FLOAT;
    std::array<const float*, kMaxTerms> terms = {};
    for (size_t i = 0; i < terms_; ++i) {
      const size_t port = i < places_.terms ? i : whole_bias_;
      const std::byte* from = RowOf(static_cast<const std::byte*>(operands.inputs[port]), r);
      if (half) {
        auto* to = reinterpret_cast<float*>(wide + i * Padded(rows_.size));
        WidenTo(to, from, dtype_, static_cast<size_t>(rows_.size));
        terms[i] = to;
      } else {
        terms[i] = reinterpret_cast<const float*>(from);
      }
    }
    size_t count = terms_;
    if (operands.bias != nullptr) terms[count++] = operands.bias;
    std::byte* y = RowOf(static_cast<std::byte*>(operands.outputs[0]), r);
    std::byte* kept = places_.sum == 0 ? nullptr : RowOf(static_cast<std::byte*>(operands.outputs[places_.sum]), r);
    auto* to = reinterpret_cast<float*>(half || y == nullptr ? wide : y);
    if (count == 1) {
      Normalize(r, operands, terms[0], to, StatisticsOf(terms[0], rows_.size, rows_.centered));
    } else {
      auto* sum = kept != nullptr && !half ? reinterpret_cast<float*>(kept) : to;
      const RowStatistics statistics = StatisticsOfSum(sum, terms[0], terms[1], terms[2], rows_.size, rows_.centered);
      if (half && kept != nullptr) NarrowTo(kept, dtype_, sum, static_cast<size_t>(rows_.size));
      Normalize(r, operands, sum, to, statistics);
    }
    if (half && y != nullptr) NarrowTo(y, dtype_, to, static_cast<size_t>(rows_.size));
  }

  // y may be x.
  void Normalize(int64_t r, const Operands& operands, const float* x, float* y, const RowStatistics& statistics) const {
    const float inverse = 1.0f / std::sqrt(statistics.mean_square + rows_.epsilon);
    const auto tell = [&](size_t port, float value) {
      if (port == 0 || operands.outputs[port] == nullptr) return;
      const auto width = static_cast<int64_t>(TileElementBytes(statistics_));
      NarrowTo(static_cast<std::byte*>(operands.outputs[port]) + r * width, statistics_, &value, 1);
    };
    tell(places_.mean, statistics.mean);
    tell(places_.rstd, inverse);
    tell(places_.variance, statistics.mean_square);
    if (rows_.period == 0) {
      NormalizeRow(y, x, rows_.size, statistics.mean, inverse, operands.scale, operands.shift);
      return;
    }
    const int64_t inner = rows_.size / rows_.parts;
    for (int64_t part = 0; part < rows_.parts; ++part) {
      const int64_t at = r % rows_.period * rows_.parts + part;
      const float factor = inverse * operands.scale[at];
      ScaleShiftAll(y + part * inner, x + part * inner, factor, operands.shift[at] - statistics.mean * factor, inner);
    }
  }

  Rows rows_;
  Places places_;
  DataType dtype_;
  DataType statistics_ = DT_FLOAT;  // their type
  int threads_;
  size_t terms_;  // tensors of the size of x that are added up
  size_t whole_bias_ = 0;
  size_t wide_rows_ = 0;  // in scratch, of each member of the team
  Parameter scale_, shift_, bias_;
  size_t scratch_ = 0;
  size_t row_at_ = 0;
};

int64_t ElementsFrom(const Shape& shape, size_t first) {
  int64_t count = 1;
  for (size_t d = first; d < shape.rank(); ++d) count *= shape[d];
  return count;
}

// A norm over trailing axes, from the one that `axis` names or, where that is nullptr, as many as gamma has.
struct TrailingNorm {
  const char* type;
  bool centered;
  const char* axis;
  Places places;
};

constexpr TrailingNorm kTrailingNorms[] = {
    {"AddLayerNorm", true, nullptr, {.terms = 2, .scale = 2, .shift = 3, .bias = 4, .mean = 1, .rstd = 2, .sum = 3}},
    {"AddRmsNorm", false, nullptr, {.terms = 2, .scale = 2, .shift = 0, .rstd = 1, .sum = 2}},
    {"LayerNorm", true, "begin_norm_axis", {.mean = 1, .variance = 2}},
    {"LayerNormV3", true, "begin_norm_axis", {.mean = 1, .rstd = 2}},
    {"RmsNorm", false, nullptr, {.shift = 0, .rstd = 1}},
    {"onnx::LayerNormalization", true, "axis", {.mean = 1, .rstd = 2}},
    {"onnx::RMSNormalization", false, "axis", {.shift = 0}},
};

std::optional<Rows> TrailingRows(const Node& node, const TrailingNorm& norm, const Shape& x, const Port& gamma) {
  Rows rows;
  const auto rank = static_cast<int64_t>(x.rank());
  int64_t axis = norm.axis == nullptr ? rank - static_cast<int64_t>(gamma.shape.rank()) : node.Attr<int64_t>(norm.axis);
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank) return std::nullopt;
  rows.size = ElementsFrom(x, static_cast<size_t>(axis));
  rows.count = x.NumElements() / rows.size;
  rows.period = 0;
  rows.centered = norm.centered;
  rows.epsilon = node.Attr<float>("epsilon");
  return rows;
}

// The places that this node fills; nothing where a result cannot be made.
std::optional<Places> PlacesOf(const KernelSpec& spec, Places places) {
  for (size_t i = 1; i < spec.outputs.size(); ++i) {
    if (!spec.outputs[i].present) continue;
    const bool statistic = i == places.mean || i == places.rstd || i == places.variance;
    const DataType dtype = spec.outputs[i].dtype;
    const bool fits = statistic ? dtype == DT_FLOAT || IsHalf(dtype) : i == places.sum && dtype == spec.inputs[0].dtype;
    if (!fits || spec.outputs[i].channels_last) return std::nullopt;
  }
  for (size_t* at : {&places.mean, &places.rstd, &places.variance, &places.sum}) {
    if (*at >= spec.outputs.size() || !spec.outputs[*at].present) *at = 0;
  }
  const size_t second = places.rstd != 0 ? places.rstd : places.variance;
  if (places.mean != 0 && second != 0 && spec.outputs[places.mean].dtype != spec.outputs[second].dtype) return std::nullopt;
  for (size_t* at : {&places.shift, &places.bias}) {
    if (*at >= spec.inputs.size() || !spec.inputs[*at].present) *at = 0;
  }
  return places;
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
  constexpr const char* kGrouped[] = {"GroupNormV2", "InstanceNorm", "onnx::GroupNormalization"};
  const auto* trailing = std::find_if(std::begin(kTrailingNorms), std::end(kTrailingNorms),
                                      [&](const TrailingNorm& norm) { return node.type() == norm.type; });
  const bool is_trailing = trailing != std::end(kTrailingNorms);
  const bool is_grouped =
      std::any_of(std::begin(kGrouped), std::end(kGrouped), [&](const char* type) { return node.type() == type; });
  if ((!is_trailing && !is_grouped) || node.fused) return nullptr;
  const Port& x = spec.inputs[0];
  if (!(x.dtype == DT_FLOAT || IsHalf(x.dtype)) || x.channels_last || x.shape.NumElements() == 0) return nullptr;
  if (spec.outputs[0].dtype != x.dtype || spec.outputs[0].channels_last) return nullptr;
  const std::optional<Places> places = PlacesOf(spec, is_trailing ? trailing->places : Places());
  if (!places) return nullptr;
  const std::optional<Rows> rows =
      is_trailing ? TrailingRows(node, *trailing, x.shape, spec.inputs[places->scale]) : GroupRows(node, x.shape);
  if (!rows) return nullptr;
  for (size_t i = 1; i < places->terms; ++i) {
    const Port& port = spec.inputs[i];
    if (port.dtype != x.dtype || !(port.shape == x.shape) || port.channels_last) return nullptr;
  }
  const int64_t wanted = is_trailing ? rows->size : rows->parts * rows->period;
  for (const size_t at : {places->scale, places->shift}) {
    if (at == 0 && is_trailing) continue;
    const Port& port = spec.inputs[at];
    const bool fits = at != 0 && (port.dtype == DT_FLOAT || IsHalf(port.dtype)) && !port.channels_last;
    if (!fits || port.shape.NumElements() != wanted) return nullptr;
  }
  if (places->bias != 0) {
    const Port& bias = spec.inputs[places->bias];
    const Shape& normalized = spec.inputs[places->scale].shape;
    const bool row = bias.shape == normalized && (bias.dtype == DT_FLOAT || IsHalf(bias.dtype));
    if (bias.channels_last || !(row || (bias.shape == x.shape && bias.dtype == x.dtype))) return nullptr;
  }
  return std::make_unique<NormalizationKernel>(spec, *rows, *places);
}

}  // namespace atc::kernels
