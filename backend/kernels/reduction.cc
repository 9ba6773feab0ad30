// Sums, means and extremes of floats and halves along neighbouring axes, and the mean over a plane.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "backend/kernels/for_team.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/rows.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/index_type.h"

namespace atc::kernels {
namespace {

struct Row {
  std::string_view type;
  Fold fold;
  bool mean;
};

constexpr Row kRows[] = {
    {"GlobalAveragePool", Fold::kSum, true}, {"ReduceMax", Fold::kMax, false}, {"ReduceMean", Fold::kSum, true},
    {"ReduceMin", Fold::kMin, false},        {"ReduceSum", Fold::kSum, false}, {"ReduceSumD", Fold::kSum, false},
};

// Below so many elements a team costs more than it gains.
constexpr int64_t kTeamElements = 64 * 1024;

class ReductionKernel : public Kernel {
 public:
  // x as [outer, reduced, inner].
  ReductionKernel(const Row& row, int64_t outer, int64_t reduced, int64_t inner, const KernelSpec& spec)
      : row_(row),
        outer_(outer),
        reduced_(reduced),
        inner_(inner),
        threads_(spec.threads),
        x_dtype_(spec.inputs[0].dtype),
        y_dtype_(spec.outputs[0].dtype) {}

  size_t scratch_bytes() const override {
    return static_cast<size_t>(threads_) * (kPiece + static_cast<size_t>(Wide())) * sizeof(float);
  }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    // Columns are shared out in pieces that stay in the first-level cache.
    const int64_t pieces = (inner_ + kPiece - 1) / kPiece, tasks = outer_ * pieces;
    const auto parts = outer_ * reduced_ * inner_ < kTeamElements ? 1 : std::min<int64_t>(threads_, tasks);
    ForTeam(parts > 1 ? threads_ : 1, parts, [&](int64_t part) {
      float* into = reinterpret_cast<float*>(scratch) + part * (kPiece + Wide());
      for (int64_t i = tasks * part / parts; i < tasks * (part + 1) / parts; ++i) {
        Piece(inputs[0], outputs[0], i / pieces, i % pieces * kPiece, into);
      }
    });
  }

 private:
  static constexpr int64_t kPiece = 1024;

  // Floats of a row of x, where it has none.
  int64_t Wide() const {
    if (x_dtype_ == DT_FLOAT) return 0;
    return inner_ == 1 ? (reduced_ + 15) / 16 * 16 : kPiece;
  }

  // `count` numbers of x from number `at` on, as floats.
  const float* Load(const void* x, int64_t at, int64_t count, float* wide) const {
    if (x_dtype_ == DT_FLOAT) return static_cast<const float*>(x) + at;
    const auto width = static_cast<int64_t>(TileElementBytes(x_dtype_));
    WidenTo(wide, static_cast<const char*>(x) + at * width, x_dtype_, static_cast<size_t>(count));
    return wide;
  }

  void Piece(const void* x, void* y, int64_t outer, int64_t begin, float* into) const {
    float* wide = into + kPiece;
    const int64_t count = std::min(kPiece, inner_ - begin), base = outer * reduced_ * inner_ + begin;
    if (inner_ == 1) {
      into[0] = FoldRow(row_.fold, Load(x, base, reduced_, wide), reduced_);
    } else {
      std::memcpy(into, Load(x, base, count, wide), static_cast<size_t>(count) * sizeof(float));
      for (int64_t r = 1; r < reduced_; ++r) FoldInto(row_.fold, into, Load(x, base + r * inner_, count, wide), count);
    }
    if (row_.mean) ScaleShiftAll(into, into, 1.0f / static_cast<float>(reduced_), 0, count);
    const auto width = static_cast<int64_t>(TileElementBytes(y_dtype_));
    NarrowTo(static_cast<char*>(y) + (outer * inner_ + begin) * width, y_dtype_, into, static_cast<size_t>(count));
  }

  Row row_;
  int64_t outer_, reduced_, inner_;
  int threads_;
  DataType x_dtype_, y_dtype_;
};

// Which axes are reduced; nothing where a run decides.
std::optional<std::vector<bool>> ReducedAxes(const KernelSpec& spec) {
  const auto rank = static_cast<int64_t>(spec.inputs[0].shape.rank());
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  if (spec.node.type() == "GlobalAveragePool") {
    if (rank < 3) return std::nullopt;
    std::fill(reduced.begin() + 2, reduced.end(), true);
    return reduced;
  }
  const auto* axes = spec.node.attrs.FindAs<std::vector<int64_t>>("axes");
  std::vector<int64_t> listed;
  if (axes != nullptr) {
    listed = *axes;
  } else if (spec.inputs.size() > 1 && spec.inputs[1].present && spec.inputs[1].constant != nullptr) {
    listed = ToInts(*spec.inputs[1].constant);
  }
  if (listed.empty()) return std::nullopt;
  for (const int64_t axis : listed) {
    if (axis < -rank || axis >= rank) return std::nullopt;
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return reduced;
}

}  // namespace

std::unique_ptr<Kernel> MakeReduction(const KernelSpec& spec) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return spec.node.type() == r.type; });
  if (row == std::end(kRows) || spec.node.fused || spec.outputs.size() != 1) return nullptr;
  const Port& x = spec.inputs[0];
  if ((x.dtype != DT_FLOAT && !IsHalf(x.dtype)) || x.dtype != spec.outputs[0].dtype || x.shape.NumElements() == 0)
    return nullptr;
  std::optional<std::vector<bool>> reduced = ReducedAxes(spec);
  if (!reduced) return nullptr;
  std::vector<int64_t> dims = x.shape.dims();
  if (x.channels_last) {
    if (dims.size() != 4) return nullptr;
    // N, H, W, C; the result must lie as it would in its origin view, or channels last as well with no plane left.
    std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
    std::rotate(reduced->begin() + 1, reduced->begin() + 2, reduced->end());
    const int64_t left = ((*reduced)[1] ? 1 : dims[1]) * ((*reduced)[2] ? 1 : dims[2]);
    const int64_t channels = (*reduced)[3] ? 1 : dims[3];
    if (!spec.outputs[0].channels_last && left != 1 && channels != 1) return nullptr;
  } else if (spec.outputs[0].channels_last) {
    return nullptr;
  }
  int64_t outer = 1, count = 1, inner = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    if ((*reduced)[d]) {
      if (inner != 1) return nullptr;  // two separate stretches
      count *= dims[d];
    } else {
      (count == 1 ? outer : inner) *= dims[d];
    }
  }
  return std::make_unique<ReductionKernel>(*row, outer, count, inner, spec);
}

}  // namespace atc::kernels
