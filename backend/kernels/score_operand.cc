#include "backend/kernels/score_operand.h"

#include "backend/kernels/half_convert.h"

namespace atc::kernels {

std::optional<ScoreOperand> ScoreOperand::Make(const ScoreStep& step, const FusedGraph& graph, const KernelSpec& spec,
                                               int64_t rows, int64_t keys) {
  ScoreOperand made;
  made.keys_ = keys;
  made.step_.number = static_cast<float>(step.number);
  made.step_.keep = step.keep;
  if (step.kind == ScoreStep::kScale) return made;
  if (step.kind == ScoreStep::kFloor) {
    made.step_.kind = RowStep::kFloor;
    return made;
  }
  made.step_.kind = step.kind == ScoreStep::kAdd ? RowStep::kAdd : step.kind == ScoreStep::kMul ? RowStep::kMul : RowStep::kSelect;
  const auto port = graph.ports.find(step.operand.base);
  if (port == graph.ports.end() || !step.operand.view) return std::nullopt;
  made.port_ = port->second;
  const Port& from = spec.inputs[static_cast<size_t>(made.port_)];
  made.dtype_ = from.dtype;
  const bool fits = step.adds() ? from.dtype == DT_FLOAT || IsHalf(from.dtype) : from.dtype == DT_BOOL;
  if (!fits || from.channels_last) return std::nullopt;
  const StridedView& view = *step.operand.view;
  const size_t rank = view.rank();
  if (rank == 0 || view.Size(rank - 1) != keys || (rank > 1 ? view.Size(rank - 2) : 1) != rows) return std::nullopt;
  made.offsets_ = view.Offsets(0, rank < 2 ? 0 : rank - 2);
  made.row_stride_ = rank > 1 ? view.Stride(rank - 2).value() : 0;
  made.single_ = view.Stride(rank - 1) == 0 && keys > 1;
  return made;
}

RowStep ScoreOperand::At(const void* const* inputs, size_t matrix, int64_t row, float* wide) const {
  if (port_ < 0) return step_;
  RowStep step = step_;
  const int64_t at = offsets_[matrix] + row * row_stride_;
  if (dtype_ == DT_BOOL) {
    step.flags = static_cast<const uint8_t*>(inputs[port_]) + at;
    if (!single_) return step;
    // All of the row or nothing.
    if ((*step.flags != 0) == step.keep) return {RowStep::kScale, 1.0f};
    return {RowStep::kFill, step.number};
  }
  const auto* from = static_cast<const std::byte*>(inputs[port_]) + at * static_cast<int64_t>(TileElementBytes(dtype_));
  if (dtype_ == DT_FLOAT) {
    step.addend = reinterpret_cast<const float*>(from);
  } else {
    WidenTo(wide, from, dtype_, single_ ? 1 : static_cast<size_t>(keys_));
    step.addend = wide;
  }
  if (single_) return {step_.kind == RowStep::kAdd ? RowStep::kAddOne : RowStep::kScale, *step.addend};
  return step;
}

}  // namespace atc::kernels
