// softmax(scale * q k^T, masked) v, head by head: keys and values are laid out for the products once for each head, and a
// block of queries has its scores in cache between the two products. Half operands are widened on the way.
#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/kernels/half_convert.h"
#include "backend/kernels/packed_product.h"
#include "backend/kernels/score_operand.h"
#include "backend/kernels/team.h"
#include "compiler/ir/half.h"

namespace atc::kernels {
namespace {

constexpr int64_t kScoreElements = 16 * 1024;  // of a block, about: with a head's keys in the second-level cache
constexpr int64_t kLeastQueries = 24;          // of a block, where there are so many
constexpr int64_t kFewForKeys = 2;             // queries: up to so many read keys where they lie,
constexpr int64_t kFewForValues = 6;           // and up to so many values
constexpr double kTeamProducts = 256 * 1024;   // below so many multiplications a team costs more than it gains

int64_t Padded(int64_t floats) { return PackedMatrix::Padded(floats); }

// Matrices of one operand, one for each head.
struct Matrices {
  int port = 0;
  DataType dtype = DT_FLOAT;
  std::vector<int64_t> offsets;  // of the first element, by head
  int64_t rows = 0, columns = 0, row_stride = 0, column_stride = 0;

  static std::optional<Matrices> Of(const StridedView& view, int port, DataType dtype) {
    Matrices made;
    const size_t rank = view.rank();
    const auto row = view.Stride(rank - 2), column = view.Stride(rank - 1);
    if (!row || !column) return std::nullopt;
    made.port = port;
    made.dtype = dtype;
    made.offsets = view.Offsets(0, rank - 2);
    made.rows = view.Size(rank - 2);
    made.columns = view.Size(rank - 1);
    made.row_stride = *row;
    made.column_stride = *column;
    return made;
  }

  int64_t Elements() const { return rows * columns; }
  bool dense() const { return column_stride == 1 || columns == 1; }
  // Rows of floats that products read or write where they lie.
  bool direct() const { return dtype == DT_FLOAT && dense(); }

  const std::byte* At(const void* data, size_t head, int64_t row) const {
    return static_cast<const std::byte*>(data) +
           (offsets[head] + row * row_stride) * static_cast<int64_t>(TileElementBytes(dtype));
  }

  const float* Floats(const void* data, size_t head, int64_t row) const {
    return reinterpret_cast<const float*>(At(data, head, row));
  }

  // Rows [first, first + count) as floats at `to`, one after the other.
  void Get(const void* data, size_t head, int64_t first, int64_t count, float* to) const {
    const auto width = static_cast<int64_t>(TileElementBytes(dtype));
    for (int64_t r = 0; r < count; ++r, to += columns) {
      const std::byte* from = At(data, head, first + r);
      if (dense()) {
        WidenTo(to, from, dtype, static_cast<size_t>(columns));
      } else {
        for (int64_t c = 0; c < columns; ++c) WidenTo(to + c, from + c * column_stride * width, dtype, 1);
      }
    }
  }

  // The other way, of results whose rows lie `pitch` apart.
  void Put(const float* from, int64_t pitch, void* data, size_t head, int64_t first, int64_t count) const {
    const auto width = static_cast<int64_t>(TileElementBytes(dtype));
    for (int64_t r = 0; r < count; ++r, from += pitch) {
      auto* to = const_cast<std::byte*>(At(data, head, first + r));
      if (dense()) {
        NarrowTo(to, dtype, from, static_cast<size_t>(columns));
      } else {
        for (int64_t c = 0; c < columns; ++c) NarrowTo(to + c * column_stride * width, dtype, from + c, 1);
      }
    }
  }

  // All of a head, laid out for products that take its rows as outputs, or its columns. `wide` has place for the elements
  // where they are not floats.
  void Pack(const void* data, size_t head, bool rows_as_outputs, float* wide, float* packed) const {
    const std::byte* at = At(data, head, 0);
    MatrixPlace place{Floats(data, head, 0), row_stride, column_stride};
    if (dtype != DT_FLOAT) {
      place = {wide, columns, 1};
      if (row_stride == 1 && !dense()) {  // columns are what lies together
        for (int64_t c = 0; c < columns; ++c) {
          WidenTo(wide + c * rows, at + c * column_stride * static_cast<int64_t>(TileElementBytes(dtype)), dtype,
                  static_cast<size_t>(rows));
        }
        place = {wide, 1, rows};
      } else {
        Get(data, head, 0, rows, wide);
      }
    }
    if (!rows_as_outputs) std::swap(place.of_output, place.of_term);
    PackMatrix(place, rows_as_outputs ? rows : columns, rows_as_outputs ? columns : rows, packed);
  }
};

class AttentionKernel : public Kernel {
 public:
  AttentionKernel(const KernelSpec& spec, Matrices q, Matrices k, Matrices v, Matrices y, float scale,
                  std::vector<ScoreOperand> operands, bool unseen_is_zero)
      : q_(std::move(q)), k_(std::move(k)), v_(std::move(v)), y_(std::move(y)), scale_(scale), operands_(std::move(operands)),
        unseen_is_zero_(unseen_is_zero), threads_(spec.threads) {
    keys_ = k_.rows;
    pitch_ = Padded(keys_);
    const double products = static_cast<double>(q_.offsets.size()) * static_cast<double>(q_.rows * keys_) *
                            static_cast<double>(q_.columns + v_.columns);
    if (products < kTeamProducts) threads_ = 1;
    Cut();
    // A product writes whole parts of outputs.
    y_direct_ = y_.direct() && y_.columns == Padded(y_.columns);
    k_in_place_ = q_.rows <= kFewForKeys && k_.direct();
    v_in_place_ = q_.rows <= kFewForValues && v_.direct() && v_.columns == Padded(v_.columns);
    k_at_ = Reserve(k_in_place_ ? 0 : pitch_ * k_.columns);
    v_at_ = Reserve(v_in_place_ ? 0 : Padded(v_.columns) * keys_);
    wide_at_ = Reserve(std::max(k_.dtype == DT_FLOAT ? 0 : k_.Elements(), v_.dtype == DT_FLOAT ? 0 : v_.Elements()));
    q_at_ = Reserve(q_.direct() ? 0 : queries_ * q_.columns);
    y_at_ = Reserve(y_direct_ ? 0 : queries_ * Padded(y_.columns));
    scores_at_ = Reserve(queries_ * pitch_);
    operands_at_ = Reserve(static_cast<int64_t>(operands_.size()) * pitch_);
    steps_.assign(static_cast<size_t>(threads_), std::vector<RowStep>(operands_.size() + 1));
  }

  size_t scratch_bytes() const override { return static_cast<size_t>(lane_ * threads_) * sizeof(float); }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const auto lane = [&](int member) { RunLane(member, inputs, outputs[0], reinterpret_cast<float*>(scratch) + member * lane_); };
    if (threads_ > 1 && RunTogether(threads_, lane)) return;
    const Team alone(1);
    for (int member = 0; member < threads_; ++member) lane(member);
  }

 private:
  int64_t Reserve(int64_t floats) {
    const int64_t at = lane_;
    lane_ += Padded(floats);
    return at;
  }

  // Into blocks that stay in cache, at least one for each thread where there are enough queries.
  void Cut() {
    const auto heads = static_cast<int64_t>(q_.offsets.size());
    int64_t parts = std::max<int64_t>(1, (q_.rows * pitch_ + kScoreElements - 1) / kScoreElements);
    if (heads % threads_ != 0 && heads < 4 * threads_) parts = std::max<int64_t>(parts, threads_);
    queries_ = std::min(q_.rows, std::max(kLeastQueries, (q_.rows + parts - 1) / parts));
    blocks_of_head_ = (q_.rows + queries_ - 1) / queries_;
  }

  // Whether both heads have the same keys and values.
  bool Shares(size_t head, size_t other) const {
    return k_.offsets[head] == k_.offsets[other] && v_.offsets[head] == v_.offsets[other];
  }

  void RunLane(int member, const void* const* inputs, void* output, float* own) {
    const int64_t tasks = static_cast<int64_t>(q_.offsets.size()) * blocks_of_head_;
    const int64_t first = tasks * member / threads_, last = tasks * (member + 1) / threads_;
    std::vector<RowStep>& steps = steps_[static_cast<size_t>(member)];
    steps[0].number = scale_;
    float* const scores = own + scores_at_;
    for (int64_t task = first; task < last; ++task) {
      const auto head = static_cast<size_t>(task / blocks_of_head_);
      const int64_t begin = task % blocks_of_head_ * queries_, count = std::min(queries_, q_.rows - begin);
      if (task == first || (begin == 0 && !Shares(head, head - 1))) {
        if (!k_in_place_) k_.Pack(inputs[k_.port], head, true, own + wide_at_, own + k_at_);
        if (!v_in_place_) v_.Pack(inputs[v_.port], head, false, own + wide_at_, own + v_at_);
      }
      if (!q_.direct()) q_.Get(inputs[q_.port], head, begin, count, own + q_at_);
      const float* q = q_.direct() ? q_.Floats(inputs[q_.port], head, begin) : own + q_at_;
      const int64_t q_step = q_.direct() ? q_.row_stride : q_.columns;
      if (k_in_place_) {
        const float* keys = k_.Floats(inputs[k_.port], head, 0);
        for (int64_t r = 0; r < count; ++r) ScoresOfRow(scores + r * pitch_, q + r * q_step, keys, k_.row_stride, keys_, k_.columns);
      } else {
        MultiplyPacked(own + k_at_, keys_, q_.columns, count, q, q_step, scores, pitch_);
      }
      for (int64_t r = 0; r < count; ++r) {
        for (size_t i = 0; i < operands_.size(); ++i) {
          steps[i + 1] = operands_[i].At(inputs, head, begin + r, own + operands_at_ + static_cast<int64_t>(i) * pitch_);
        }
        SoftmaxRow(scores + r * pitch_, scores + r * pitch_, keys_, steps.data(), static_cast<int>(steps.size()));
        // A sum that is no number is that of all weights.
        if (unseen_is_zero_ && std::isnan(scores[r * pitch_])) std::fill_n(scores + r * pitch_, keys_, 0.0f);
      }
      float* y = y_direct_ ? const_cast<float*>(y_.Floats(output, head, begin)) : own + y_at_;
      const int64_t y_step = y_direct_ ? y_.row_stride : Padded(y_.columns);
      if (v_in_place_) {
        MultiplyInPlace(v_.Floats(inputs[v_.port], head, 0), v_.row_stride, v_.columns, keys_, count, scores, pitch_, y, y_step);
      } else {
        MultiplyPacked(own + v_at_, y_.columns, keys_, count, scores, pitch_, y, y_step);
      }
      if (!y_direct_) y_.Put(y, y_step, output, head, begin, count);
    }
  }

  Matrices q_, k_, v_, y_;
  float scale_;
  std::vector<ScoreOperand> operands_;
  bool unseen_is_zero_;
  int threads_;
  int64_t keys_ = 0, pitch_ = 0;  // pitch: floats between rows of scores
  int64_t queries_ = 0;           // of a block
  int64_t blocks_of_head_ = 0;
  bool k_in_place_ = false, v_in_place_ = false, y_direct_ = false;
  int64_t lane_ = 0;              // floats of scratch for each thread, and what lies in them
  int64_t k_at_ = 0, v_at_ = 0, wide_at_ = 0, q_at_ = 0, y_at_ = 0, scores_at_ = 0, operands_at_ = 0;
  std::vector<std::vector<RowStep>> steps_;  // by thread
};

std::optional<Matrices> MatricesOf(const SeenValue& value, const FusedGraph& fused, const KernelSpec& spec) {
  const auto port = fused.ports.find(value.base);
  if (port == fused.ports.end() || !value.view || value.view->rank() < 2) return std::nullopt;
  const Port& from = spec.inputs[static_cast<size_t>(port->second)];
  if (!(from.dtype == DT_FLOAT || IsHalf(from.dtype)) || from.channels_last) return std::nullopt;
  return Matrices::Of(*value.view, port->second, from.dtype);
}

}  // namespace

std::unique_ptr<Kernel> MakeAttention(const KernelSpec& spec) {
  if (!(spec.node.type() == "FusedAttention") || spec.outputs.size() != 1) return nullptr;
  const Port& out = spec.outputs[0];
  if (!(out.dtype == DT_FLOAT || IsHalf(out.dtype)) || out.channels_last || out.shape.NumElements() == 0) return nullptr;
  const FusedGraph fused = MakeFusedGraph(spec);
  if (!fused.graph) return nullptr;
  std::optional<Attention> found;
  for (const NodeId id : fused.graph->TopologicalOrder()) {
    found = FindAttention(*fused.graph, fused.graph->node(id), [](const Node&) { return true; });
    if (found) break;
  }
  if (!found || !found->out || found->leaving != fused.graph->NetOutput()->inputs[0] || found->v.scale != 1) return nullptr;
  if (!(fused.graph->desc(found->leaving).origin_shape == out.shape)) return nullptr;
  const auto q = MatricesOf(found->q, fused, spec), k = MatricesOf(found->k, fused, spec), v = MatricesOf(found->v, fused, spec);
  auto y = Matrices::Of(*found->out, 0, out.dtype);
  if (!q || !k || !v || !y || q->Elements() == 0 || k->Elements() == 0 || v->Elements() == 0) return nullptr;
  const size_t heads = q->offsets.size();
  if (k->offsets.size() != heads || v->offsets.size() != heads || y->offsets.size() != heads) return nullptr;
  if (k->columns != q->columns || v->rows != k->rows || y->rows != q->rows || y->columns != v->columns) return nullptr;
  std::vector<ScoreOperand> operands;
  for (const ScoreStep& step : found->steps) {
    auto operand = ScoreOperand::Make(step, fused, spec, q->rows, k->rows);
    if (!operand) return nullptr;
    operands.push_back(std::move(*operand));
  }
  const auto scale = static_cast<float>(found->q.scale * found->k.scale);
  return std::make_unique<AttentionKernel>(spec, *q, *k, *v, *y, scale, std::move(operands), found->unseen_is_zero);
}

}  // namespace atc::kernels
