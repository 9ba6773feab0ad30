// Softmax over the last axis, row by row: alone, or with a factor, a mask that is added or a selection before it.
#include <algorithm>
#include <vector>

#include "backend/kernels/for_team.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/score_operand.h"

namespace atc::kernels {
namespace {

// Below so many elements a team costs more than it gains.
constexpr int64_t kTeamElements = 16 * 1024;

class MaskedSoftmaxKernel : public Kernel {
 public:
  MaskedSoftmaxKernel(const KernelSpec& spec, int source, std::vector<ScoreOperand> operands, int64_t matrices, int64_t rows,
                      int64_t keys)
      : source_(source), dtype_(spec.inputs[static_cast<size_t>(source)].dtype), operands_(std::move(operands)),
        matrices_(matrices), rows_(rows), keys_(keys), threads_(spec.threads) {
    padded_ = (static_cast<size_t>(keys) + 15) / 16 * 16;
    steps_.assign(static_cast<size_t>(threads_), std::vector<RowStep>(operands_.size()));
  }

  // For each member of the team a row of scores and one of each operand.
  size_t scratch_bytes() const override {
    return static_cast<size_t>(threads_) * (operands_.size() + 1) * padded_ * sizeof(float);
  }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const auto width = static_cast<int64_t>(TileElementBytes(dtype_));
    const auto* x = static_cast<const std::byte*>(inputs[source_]);
    auto* y = static_cast<std::byte*>(outputs[0]);
    const int64_t count = matrices_ * rows_, share = (count + threads_ - 1) / threads_;
    ForTeam(count * keys_ >= kTeamElements ? threads_ : 1, threads_, [&](int member) {
      auto* own = reinterpret_cast<float*>(scratch) + static_cast<size_t>(member) * (operands_.size() + 1) * padded_;
      std::vector<RowStep>& steps = steps_[static_cast<size_t>(member)];
      for (int64_t r = member * share; r < std::min(count, (member + 1) * share); ++r) {
        for (size_t i = 0; i < operands_.size(); ++i) {
          steps[i] = operands_[i].At(inputs, static_cast<size_t>(r / rows_), r % rows_, own + (i + 1) * padded_);
        }
        const std::byte* from = x + r * keys_ * width;
        std::byte* to = y + r * keys_ * width;
        const auto steps_count = static_cast<int>(steps.size());
        if (dtype_ == DT_FLOAT) {
          SoftmaxRow(reinterpret_cast<float*>(to), reinterpret_cast<const float*>(from), keys_, steps.data(), steps_count);
        } else {
          WidenTo(own, from, dtype_, static_cast<size_t>(keys_));
          SoftmaxRow(own, own, keys_, steps.data(), steps_count);
          NarrowTo(to, dtype_, own, static_cast<size_t>(keys_));
        }
      }
    });
  }

 private:
  int source_;
  DataType dtype_;
  std::vector<ScoreOperand> operands_;
  int64_t matrices_, rows_, keys_;
  int threads_;
  size_t padded_;
  std::vector<std::vector<RowStep>> steps_;  // by member of the team
};

// Scores of float or of a half type in the origin layout, of which the last axis has at least one.
bool AreRows(const Port& x, const Port& y) {
  return (x.dtype == DT_FLOAT || IsHalf(x.dtype)) && x.dtype == y.dtype && x.shape == y.shape && !x.channels_last &&
         !y.channels_last && x.shape.rank() > 0 && x.shape.NumElements() > 0;
}

// A softmax by itself, along the last axis or one behind which all dims are 1.
std::unique_ptr<Kernel> MakeAlone(const KernelSpec& spec) {
  const Port& x = spec.inputs[0];
  if (!AreRows(x, spec.outputs[0])) return nullptr;
  const std::vector<int64_t> axes = spec.node.Attr<std::vector<int64_t>>("axes");
  if (axes.size() != 1) return nullptr;
  const size_t rank = x.shape.rank(), axis = static_cast<size_t>(axes[0] < 0 ? axes[0] + static_cast<int64_t>(rank) : axes[0]);
  for (size_t i = axis + 1; i < rank; ++i) {
    if (x.shape[i] != 1) return nullptr;
  }
  const int64_t keys = x.shape[axis], rows = x.shape.NumElements() / keys;
  return std::make_unique<MaskedSoftmaxKernel>(spec, 0, std::vector<ScoreOperand>(), 1, rows, keys);
}

}  // namespace

std::unique_ptr<Kernel> MakeMaskedSoftmax(const KernelSpec& spec) {
  if (spec.outputs.size() != 1) return nullptr;
  if (spec.node.type() == "SoftmaxV2" && !spec.node.fused) return MakeAlone(spec);
  if (!(spec.node.type() == "FusedSoftmax")) return nullptr;
  const FusedGraph fused = MakeFusedGraph(spec);
  if (!fused.graph) return nullptr;
  const Node& softmax = fused.graph->producer(fused.graph->NetOutput()->inputs[0]);
  const auto found = FindMaskedSoftmax(*fused.graph, softmax, [](const Node&) { return true; });
  if (!found || !fused.ports.contains(found->source)) return nullptr;
  const int source = fused.ports.at(found->source);
  const Port& x = spec.inputs[static_cast<size_t>(source)];
  const Shape& shape = x.shape;
  const size_t rank = shape.rank();
  if (!AreRows(x, spec.outputs[0])) return nullptr;
  const int64_t keys = shape[rank - 1], rows = rank > 1 ? shape[rank - 2] : 1;
  std::vector<ScoreOperand> operands;
  for (const ScoreStep& step : found->steps) {
    auto operand = ScoreOperand::Make(step, fused, spec, rows, keys);
    if (!operand) return nullptr;
    operands.push_back(std::move(*operand));
  }
  return std::make_unique<MaskedSoftmaxKernel>(spec, source, std::move(operands), shape.NumElements() / (rows * keys), rows, keys);
}

}  // namespace atc::kernels
