// What is added to scores or selects them, as a task brings it: rows that are found where they lie.
#pragma once

#include <optional>
#include <vector>

#include "backend/kernels/fused_graph.h"
#include "backend/kernels/score_rows.h"
#include "compiler/ops/attention_parts.h"

namespace atc::kernels {

class ScoreOperand {
 public:
  // Of matrices [rows, keys] of scores; nothing where the step's operand has no place for them.
  static std::optional<ScoreOperand> Make(const ScoreStep& step, const FusedGraph& graph, const KernelSpec& spec, int64_t rows,
                                          int64_t keys);

  // The step for row `row` of matrix `matrix`; `wide` has place for a row, for half values.
  RowStep At(const void* const* inputs, size_t matrix, int64_t row, float* wide) const;

 private:
  RowStep step_;
  int port_ = -1;  // -1: a number
  DataType dtype_ = DT_FLOAT;
  std::vector<int64_t> offsets_;  // by matrix
  int64_t row_stride_ = 0;
  bool single_ = false;           // one element for a row
  int64_t keys_ = 0;
};

}  // namespace atc::kernels
