// softmax(scale * q k^T, masked) v, head by head: a block of queries has its scores in cache between the two products.
// Queries, keys and values are read where they lie; half ones are widened head by head.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "backend/kernels/half_convert.h"
#include "backend/kernels/onednn/engine.h"
#include "backend/kernels/onednn/post_ops.h"
#include "backend/kernels/score_operand.h"
#include "backend/kernels/team.h"
#include "compiler/ir/half.h"

namespace atc::kernels {
namespace {

constexpr int64_t kScoreElements = 64 * 1024;  // of a block, at most: a quarter of a second-level cache
constexpr int64_t kLeastQueries = 16;          // of a block, where there are so many
constexpr double kTeamProducts = 256 * 1024;   // below so many multiplications a team costs more than it gains

size_t Padded(int64_t floats) { return (static_cast<size_t>(floats) + 15) / 16 * 16; }

// Matrices of one operand, one for each head.
struct Matrices {
  int port = 0;
  DataType dtype = DT_FLOAT;
  std::vector<int64_t> offsets;  // of the first element, by head
  int64_t rows = 0, columns = 0, row_stride = 0, column_stride = 0;
  bool direct = false;           // products read it where it lies

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
    // A matrix that BLAS knows: dense along one side.
    const bool rows_dense = (*column == 1 || made.columns == 1) && (*row >= made.columns || made.rows == 1);
    const bool columns_dense = (*row == 1 || made.rows == 1) && (*column >= made.rows || made.columns == 1);
    made.direct = dtype == DT_FLOAT && (rows_dense || columns_dense);
    return made;
  }

  int64_t Elements() const { return rows * columns; }
  // By which rows and columns lie apart for the product.
  int64_t RowStep() const { return !direct ? columns : row_stride == 0 ? columns : row_stride; }
  int64_t ColumnStep() const { return !direct ? 1 : column_stride == 0 ? 1 : column_stride; }

  const std::byte* At(const void* data, size_t head, int64_t row) const {
    return static_cast<const std::byte*>(data) +
           (offsets[head] + row * row_stride) * static_cast<int64_t>(TileElementBytes(dtype));
  }

  // Rows [first, first + count) as dense floats.
  void Pack(const void* data, size_t head, int64_t first, int64_t count, float* to) const {
    const auto width = static_cast<int64_t>(TileElementBytes(dtype));
    for (int64_t r = 0; r < count; ++r) {
      const std::byte* from = At(data, head, first + r);
      float* row = to + r * columns;
      if (column_stride == 1 || columns == 1) {
        WidenTo(row, from, dtype, static_cast<size_t>(columns));
      } else {
        for (int64_t c = 0; c < columns; ++c) WidenTo(row + c, from + c * column_stride * width, dtype, 1);
      }
    }
  }

  // The other way, of results.
  void Unpack(const float* from, void* data, size_t head, int64_t first, int64_t count) const {
    const auto width = static_cast<int64_t>(TileElementBytes(dtype));
    for (int64_t r = 0; r < count; ++r) {
      auto* to = const_cast<std::byte*>(At(data, head, first + r));
      const float* row = from + r * columns;
      if (column_stride == 1 || columns == 1) {
        NarrowTo(to, dtype, row, static_cast<size_t>(columns));
      } else {
        for (int64_t c = 0; c < columns; ++c) NarrowTo(to + c * column_stride * width, dtype, row + c, 1);
      }
    }
  }
};

// A product that one thread computes, of addresses that each call brings.
struct Product {
  dnnl::matmul primitive;
  dnnl::memory::desc a, b, y, scratchpad;

  static Product Make(int64_t m, int64_t n, int64_t k, std::array<int64_t, 2> a_steps, std::array<int64_t, 2> b_steps,
                      std::array<int64_t, 2> y_steps) {
    using Dims = dnnl::memory::dims;
    constexpr auto kFloat = dnnl::memory::data_type::f32;
    const auto desc = [&](int64_t rows, int64_t columns, std::array<int64_t, 2> steps) {
      return dnnl::memory::desc(Dims{rows, columns}, kFloat, Dims{steps[0], steps[1]});
    };
    Product made;
    made.a = desc(m, k, a_steps);
    made.b = desc(k, n, b_steps);
    made.y = desc(m, n, y_steps);
    const Team alone(1);
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::matmul::primitive_desc described(Engine(), made.a, made.b, made.y, Attributes());
#else
    const dnnl::matmul::primitive_desc described({made.a, made.b, made.y}, Attributes(), Engine());
#endif
    made.primitive = dnnl::matmul(described);
    made.scratchpad = described.scratchpad_desc();
    made.generated = IsGenerated(described);
    return made;
  }

  void Run(const float* a_data, const float* b_data, float* y_data, std::byte* scratch) const {
    const auto memory = [](const dnnl::memory::desc& desc, const void* data) {
      return dnnl::memory(desc, Engine(), const_cast<void*>(data));
    };
    primitive.execute(ThreadStream(), {{DNNL_ARG_SRC, memory(a, a_data)},
                                       {DNNL_ARG_WEIGHTS, memory(b, b_data)},
                                       {DNNL_ARG_DST, memory(y, y_data)},
                                       {DNNL_ARG_SCRATCHPAD, memory(scratchpad, scratch)}});
  }

  bool generated = false;
};

// Both products of blocks of so many queries.
struct Block {
  int64_t queries = 0;
  Product scores, result;
};

class AttentionKernel : public Kernel {
 public:
  AttentionKernel(const KernelSpec& spec, Matrices q, Matrices k, Matrices v, Matrices y, float scale,
                  std::vector<ScoreOperand> operands)
      : q_(std::move(q)), k_(std::move(k)), v_(std::move(v)), y_(std::move(y)), scale_(scale), operands_(std::move(operands)),
        threads_(spec.threads) {
    keys_ = k_.rows;
    pitch_ = static_cast<int64_t>(Padded(keys_));
    const double products = static_cast<double>(q_.offsets.size()) * static_cast<double>(q_.rows * keys_) *
                            static_cast<double>(q_.columns + v_.columns);
    if (products < kTeamProducts) threads_ = 1;
    Cut();
    k_at_ = Reserve(k_.direct ? 0 : k_.Elements());
    v_at_ = Reserve(v_.direct ? 0 : v_.Elements());
    q_at_ = Reserve(q_.direct ? 0 : queries_ * q_.columns);
    y_at_ = Reserve(y_.direct ? 0 : queries_ * y_.columns);
    scores_at_ = Reserve(queries_ * pitch_);
    operands_at_ = Reserve(static_cast<int64_t>(operands_.size()) * pitch_);
    size_t pad = 0;
    for (const Block& block : blocks_) {
      pad = std::max({pad, block.scores.scratchpad.get_size(), block.result.scratchpad.get_size()});
    }
    pad_at_ = Reserve(static_cast<int64_t>(pad / sizeof(float) + 1));
  }

  size_t scratch_bytes() const override { return lane_bytes_ * static_cast<size_t>(threads_); }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const auto lane = [&](int member) { RunLane(member, inputs, outputs[0], scratch + static_cast<size_t>(member) * lane_bytes_); };
    if (threads_ > 1 && RunTogether(threads_, lane)) return;
    const Team alone(1);
    for (int member = 0; member < threads_; ++member) lane(member);
  }

 private:
  size_t Reserve(int64_t floats) {
    const size_t at = lane_bytes_;
    lane_bytes_ += Padded(floats) * sizeof(float);
    return at;
  }

  // Into blocks that stay in cache, at least one for each thread where there are enough queries.
  void Cut() {
    const auto heads = static_cast<int64_t>(q_.offsets.size());
    int64_t parts = std::max<int64_t>(1, (q_.rows * pitch_ + kScoreElements - 1) / kScoreElements);
    if (heads % threads_ != 0 && heads < 4 * threads_) parts = std::max<int64_t>(parts, threads_);
    queries_ = std::min(q_.rows, std::max(kLeastQueries, (q_.rows + parts - 1) / parts));
    blocks_of_head_ = (q_.rows + queries_ - 1) / queries_;
    Describe(queries_);
    const int64_t rest = q_.rows % queries_;
    if (rest != 0) Describe(rest);
  }

  // Where products of operands as they lie have no code of their own, dense copies are made instead.
  void Describe(int64_t queries) {
    Block block = Products(queries);
    if (!block.scores.generated || !block.result.generated) {
      q_.direct = k_.direct = v_.direct = y_.direct = false;
      for (Block& other : blocks_) other = Products(other.queries);
      block = Products(queries);
    }
    blocks_.push_back(std::move(block));
  }

  Block Products(int64_t queries) const {
    Block block;
    block.queries = queries;
    block.scores = Product::Make(queries, keys_, q_.columns, {q_.RowStep(), q_.ColumnStep()}, {k_.ColumnStep(), k_.RowStep()},
                                 {pitch_, 1});
    block.result = Product::Make(queries, v_.columns, keys_, {pitch_, 1}, {v_.RowStep(), v_.ColumnStep()},
                                 {y_.RowStep(), y_.ColumnStep()});
    return block;
  }

  void RunLane(int member, const void* const* inputs, void* output, std::byte* own) const {
    const auto floats = [&](size_t at) { return reinterpret_cast<float*>(own + at); };
    const int64_t tasks = static_cast<int64_t>(q_.offsets.size()) * blocks_of_head_;
    const int64_t first = tasks * member / threads_, last = tasks * (member + 1) / threads_;
    std::vector<RowStep> steps(operands_.size() + 1);
    steps[0].number = scale_;
    int64_t packed = -1;
    for (int64_t task = first; task < last; ++task) {
      const auto head = static_cast<size_t>(task / blocks_of_head_);
      const int64_t begin = task % blocks_of_head_ * queries_, count = std::min(queries_, q_.rows - begin);
      const Block& block = count == queries_ ? blocks_.front() : blocks_.back();
      if (packed != static_cast<int64_t>(head)) {
        packed = static_cast<int64_t>(head);
        if (!k_.direct) k_.Pack(inputs[k_.port], head, 0, keys_, floats(k_at_));
        if (!v_.direct) v_.Pack(inputs[v_.port], head, 0, keys_, floats(v_at_));
      }
      if (!q_.direct) q_.Pack(inputs[q_.port], head, begin, count, floats(q_at_));
      const auto place = [&](const Matrices& matrices, size_t at, int64_t row) {
        return matrices.direct ? reinterpret_cast<const float*>(matrices.At(inputs[matrices.port], head, row)) : floats(at);
      };
      float* scores = floats(scores_at_);
      block.scores.Run(place(q_, q_at_, begin), place(k_, k_at_, 0), scores, own + pad_at_);
      for (int64_t r = 0; r < count; ++r) {
        for (size_t i = 0; i < operands_.size(); ++i) {
          steps[i + 1] = operands_[i].At(inputs, head, begin + r, floats(operands_at_) + static_cast<int64_t>(i) * pitch_);
        }
        SoftmaxRow(scores + r * pitch_, scores + r * pitch_, keys_, steps.data(), static_cast<int>(steps.size()));
      }
      auto* y = y_.direct ? reinterpret_cast<float*>(const_cast<std::byte*>(y_.At(output, head, begin))) : floats(y_at_);
      block.result.Run(scores, place(v_, v_at_, 0), y, own + pad_at_);
      if (!y_.direct) y_.Unpack(y, output, head, begin, count);
    }
  }

  Matrices q_, k_, v_, y_;
  float scale_;
  std::vector<ScoreOperand> operands_;
  int threads_;
  int64_t keys_ = 0, pitch_ = 0;  // pitch: floats between rows of scores
  int64_t queries_ = 0;           // of a block
  int64_t blocks_of_head_ = 0;
  std::vector<Block> blocks_;     // of queries_, and of the rest where it does not divide
  size_t lane_bytes_ = 0;         // of scratch, for each thread
  size_t k_at_ = 0, v_at_ = 0, q_at_ = 0, y_at_ = 0, scores_at_ = 0, operands_at_ = 0, pad_at_ = 0;
};

std::optional<Matrices> MatricesOf(const SeenValue& value, const FusedGraph& fused, const KernelSpec& spec) {
  const auto port = fused.ports.find(value.base);
  if (port == fused.ports.end() || !value.view || value.view->rank() < 2) return std::nullopt;
  const Port& from = spec.inputs[static_cast<size_t>(port->second)];
  if (!(from.dtype == DT_FLOAT || IsHalf(from.dtype)) || from.channels_last) return std::nullopt;
  return Matrices::Of(*value.view, port->second, from.dtype);
}

}  // namespace

std::unique_ptr<Kernel> MakeOneDnnAttention(const KernelSpec& spec) {
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
  y->direct = y->direct && y->ColumnStep() == 1;
  std::vector<ScoreOperand> operands;
  for (const ScoreStep& step : found->steps) {
    auto operand = ScoreOperand::Make(step, fused, spec, q->rows, k->rows);
    if (!operand) return nullptr;
    operands.push_back(std::move(*operand));
  }
  const auto scale = static_cast<float>(found->q.scale * found->k.scale);
  return std::make_unique<AttentionKernel>(spec, *q, *k, *v, *y, scale, std::move(operands));
}

}  // namespace atc::kernels
