// onnx::Attention and onnx::FlexAttention: scaled dot-product attention with grouped heads.
#include <cmath>
#include <optional>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/broadcast.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/matrix_product.h"

namespace atc {
namespace {

enum Operand { kQ, kK, kV, kMask, kPastKey, kPastValue, kValidKeys };

// Sizes of one attention. Dims are -1 while unknown.
struct Sizes {
  bool packed;  // operands are [batch, sequence, heads * size], else [batch, heads, sequence, size]
  int64_t batch, q_heads, kv_heads, queries, new_keys, past, size, v_size;

  int64_t keys() const { return past < 0 || new_keys < 0 ? kUnknownDim : past + new_keys; }
  Shape Output() const {
    if (!packed) return {batch, q_heads, queries, v_size};
    return {batch, queries, q_heads < 0 || v_size < 0 ? kUnknownDim : q_heads * v_size};
  }
  Shape Scores() const { return {batch, q_heads, queries, keys()}; }
};

template <typename Context>
Sizes FitSizes(const Context& ctx) {
  const Shape &q = ctx.InShape(kQ), &k = ctx.InShape(kK), &v = ctx.InShape(kV);
  const size_t rank = q.rank();
  const bool may_pack = ctx.node().def->FindAttr("q_num_heads") != nullptr;  // not FlexAttention
  if ((rank != 4 && !(rank == 3 && may_pack)) || k.rank() != rank || v.rank() != rank) {
    ctx.Fail("Q " + ToString(q) + ", K " + ToString(k) + " and V " + ToString(v) + " must all have rank " +
             (may_pack ? "3 or all 4" : "4"));
  }
  Sizes s;
  s.packed = rank == 3;
  s.batch = q[0];
  if (s.packed) {
    s.q_heads = ctx.template Attr<int64_t>("q_num_heads");
    s.kv_heads = ctx.template Attr<int64_t>("kv_num_heads");
    if (s.q_heads < 1 || s.kv_heads < 1) ctx.Fail("q_num_heads and kv_num_heads must be given with operands of rank 3");
    s.queries = q[1];
    s.new_keys = k[1];
    s.size = q[2] < 0 ? kUnknownDim : q[2] / s.q_heads;
    s.v_size = v[2] < 0 ? kUnknownDim : v[2] / s.kv_heads;
  } else {
    s.q_heads = q[1];
    s.kv_heads = k[1];
    s.queries = q[2];
    s.new_keys = k[2];
    s.size = q[3];
    s.v_size = v[3];
  }
  s.past = 0;
  if (ctx.HasInput(kPastKey) && ctx.node().def->FindAttr("is_causal")) {
    const Shape& past = ctx.InShape(kPastKey);
    if (past.HasRank() && past.rank() != 4) ctx.Fail("past_key " + ToString(past) + " must have rank 4");
    s.past = past.HasRank() ? past[2] : kUnknownDim;
  }
  if (s.kv_heads == 0 || (s.q_heads >= 0 && s.kv_heads > 0 && s.q_heads % s.kv_heads != 0)) {
    ctx.Fail(std::to_string(s.q_heads) + " query heads do not divide into " + std::to_string(s.kv_heads) +
             " key and value heads");
  }
  return s;
}

bool Ranked(const InferContext& ctx) {
  return ctx.InShape(kQ).HasRank() && ctx.InShape(kK).HasRank() && ctx.InShape(kV).HasRank();
}

void InferAttention(InferContext& ctx) {
  if (!Ranked(ctx)) {
    for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOut(i, ctx.InType(i == 2 ? kV : kQ), Shape::UnknownRank());
    return;
  }
  const Sizes s = FitSizes(ctx);
  ctx.SetOut(0, ctx.InType(kQ), s.Output());
  ctx.SetOut(1, ctx.InType(kQ), {s.batch, s.kv_heads, s.keys(), s.size});
  ctx.SetOut(2, ctx.InType(kV), {s.batch, s.kv_heads, s.keys(), s.v_size});
  ctx.SetOut(3, ctx.InType(kQ), s.Scores());
}

// Past and new elements of K or V as [batch, heads, keys, size].
template <typename T>
std::vector<T> Present(const KernelContext& ctx, const Sizes& s, size_t fresh, size_t past, int64_t size) {
  const T* from = ctx.In(fresh).Data<T>();
  const T* before = s.past > 0 ? ctx.In(past).Data<T>() : nullptr;
  std::vector<T> all(static_cast<size_t>(s.batch * s.kv_heads * s.keys() * size));
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t h = 0; h < s.kv_heads; ++h) {
      T* to = all.data() + (b * s.kv_heads + h) * s.keys() * size;
      if (before) to = std::copy_n(before + (b * s.kv_heads + h) * s.past * size, s.past * size, to);
      for (int64_t t = 0; t < s.new_keys; ++t) {
        const int64_t at = s.packed ? (b * s.new_keys + t) * s.kv_heads + h : (b * s.kv_heads + h) * s.new_keys + t;
        to = std::copy_n(from + at * size, size, to);
      }
    }
  }
  return all;
}

// The mask as an addend of the scores, -infinity where a key is not attended. Shorter rows forbid the rest.
std::vector<double> MaskBias(const KernelContext& ctx, const Sizes& s) {
  constexpr double kForbidden = -std::numeric_limits<double>::infinity();
  std::vector<double> bias(static_cast<size_t>(s.Scores().NumElements()), 0.0);
  if (!ctx.HasInput(kMask)) return bias;
  const Tensor& mask = ctx.In(kMask);
  const bool boolean = mask.dtype() == DT_BOOL;
  std::vector<double> values;
  if (boolean) {
    for (const bool allowed : mask.Span<bool>()) values.push_back(allowed ? 0 : kForbidden);
  } else {
    values = ToDoubles(mask);
  }
  Shape covered = s.Scores();
  if (mask.rank() > 0 && mask.dim(mask.rank() - 1) > 1) covered[3] = mask.dim(mask.rank() - 1);
  Shape joined;
  if (covered[3] > s.keys() || !BroadcastShapes(mask.shape(), covered, &joined) || joined != covered) {
    ctx.Fail("attn_mask " + ToString(mask.shape()) + " does not broadcast to " + ToString(s.Scores()));
  }
  if (covered[3] < s.keys()) std::fill(bias.begin(), bias.end(), kForbidden);
  const BroadcastPlan plan = PlanBroadcast(covered, {mask.shape()});
  const int64_t step = plan.strides[0].back();
  ForEachRow<1>(plan, [&](int64_t at, const std::array<int64_t, 1>& from) {
    for (int64_t i = 0; i < plan.inner(); ++i) {
      const int64_t element = at + i;
      bias[element / covered[3] * s.keys() + element % covered[3]] = values[from[0] + i * step];
    }
  });
  return bias;
}

// Keys [first, last) that query `i` of a batch may attend: by causality, window and number of valid keys.
struct Reach {
  int64_t offset, valid, left, right;
  bool causal;

  bool Allows(int64_t i, int64_t j) const {
    const int64_t here = i + offset;
    return j < valid && (!causal || j <= here) && (left < 0 || j >= here - left) && (right < 0 || j <= here + right);
  }
};

// Softmax over a row of scores in place; a row without any key becomes zeros.
void SoftmaxRow(double* row, int64_t keys) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t j = 0; j < keys; ++j) largest = std::isnan(row[j]) ? row[j] : std::max(largest, row[j]);
  if (largest == -std::numeric_limits<double>::infinity()) {
    std::fill_n(row, keys, 0.0);
    return;
  }
  for (int64_t j = 0; j < keys; ++j) sum += row[j] = math::Exp(row[j] - largest);
  for (int64_t j = 0; j < keys; ++j) row[j] /= sum;
}

// Scaled scores [queries, keys] of one head.
template <typename T>
void Scores(const Sizes& s, const T* q, int64_t q_stride, const T* k, double scale, double* to) {
  std::vector<T> product(static_cast<size_t>(s.queries * s.keys()));
  MatrixProduct<T>(s.queries, s.keys(), s.size, {q, q_stride, 1}, {k, 1, s.size}, product.data(), s.keys());
  for (size_t i = 0; i < product.size(); ++i) to[i] = static_cast<double>(product[i]) * scale;
}

// weights [queries, keys] times the values of one head. Keys of weight 0 count nothing, whatever their value.
template <typename T>
void WeighValues(const Sizes& s, const double* weights, const T* v, T* y, int64_t y_stride) {
  std::vector<double> sum(static_cast<size_t>(s.v_size));
  for (int64_t i = 0; i < s.queries; ++i) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int64_t j = 0; j < s.keys(); ++j) {
      const double w = weights[i * s.keys() + j];
      if (w == 0) continue;
      for (int64_t e = 0; e < s.v_size; ++e) sum[e] += w * static_cast<double>(v[j * s.v_size + e]);
    }
    for (int64_t e = 0; e < s.v_size; ++e) y[i * y_stride + e] = static_cast<T>(sum[e]);
  }
}

// Where the rows of head h of batch b begin in Q or Y, and their distance.
int64_t HeadAt(const Sizes& s, int64_t b, int64_t h, int64_t size) {
  return s.packed ? b * s.queries * s.q_heads * size + h * size : (b * s.q_heads + h) * s.queries * size;
}
int64_t RowStride(const Sizes& s, int64_t size) { return s.packed ? s.q_heads * size : size; }

double ScaleOf(const Node& node, const Sizes& s) {
  const float* given = node.attrs.FindAs<float>("scale");
  return given ? static_cast<double>(*given) : 1 / std::sqrt(static_cast<double>(s.size));
}

void CheckShapes(const KernelContext& ctx, const Sizes& s) {
  const Shape key =
      s.packed ? Shape{s.batch, s.new_keys, s.kv_heads * s.size} : Shape{s.batch, s.kv_heads, s.new_keys, s.size};
  const Shape value =
      s.packed ? Shape{s.batch, s.new_keys, s.kv_heads * s.v_size} : Shape{s.batch, s.kv_heads, s.new_keys, s.v_size};
  const auto expect = [&](size_t i, const Shape& shape) {
    if (!ctx.HasInput(i) || (ctx.InShape(i) == shape && ctx.InType(i) == ctx.InType(kQ))) return;
    ctx.Fail(ctx.node().def->InputName(i) + " has shape " + ToString(ctx.InShape(i)) + ", wanted " + ToString(shape) +
             " and the type of Q");
  };
  if (s.packed && ctx.InShape(kQ)[2] != s.q_heads * s.size) ctx.Fail("Q does not divide into its heads");
  expect(kK, key);
  expect(kV, value);
  if (!ctx.node().def->FindAttr("is_causal")) return;
  expect(kPastKey, {s.batch, s.kv_heads, s.past, s.size});
  expect(kPastValue, {s.batch, s.kv_heads, s.past, s.v_size});
  if (ctx.HasInput(kValidKeys) && ctx.In(kValidKeys).NumElements() != s.batch) {
    ctx.Fail("nonpad_kv_seqlen must have one element a batch");
  }
}

template <typename T>
void RunAttention(KernelContext& ctx) {
  const Sizes s = FitSizes(ctx);
  CheckShapes(ctx, s);
  const std::vector<T> keys = Present<T>(ctx, s, kK, kPastKey, s.size);
  const std::vector<T> values = Present<T>(ctx, s, kV, kPastValue, s.v_size);
  const std::vector<double> bias = MaskBias(ctx, s);
  const std::vector<int64_t> valid = ctx.HasInput(kValidKeys) ? ToInts(ctx.In(kValidKeys)) : std::vector<int64_t>{};
  const double scale = ScaleOf(ctx.node(), s), cap = ctx.Attr<float>("softcap");
  const int64_t mode = ctx.Attr<int64_t>("qk_matmul_output_mode");
  T* y = ctx.Out(0, ctx.InType(kQ), s.Output()).template MutableData<T>();
  if (ctx.WantsOutput(1)) {
    const Shape shape{s.batch, s.kv_heads, s.keys(), s.size};
    std::copy(keys.begin(), keys.end(), ctx.Out(1, ctx.InType(kQ), shape).template MutableData<T>());
  }
  if (ctx.WantsOutput(2)) {
    const Shape shape{s.batch, s.kv_heads, s.keys(), s.v_size};
    std::copy(values.begin(), values.end(), ctx.Out(2, ctx.InType(kV), shape).template MutableData<T>());
  }
  T* shown = ctx.WantsOutput(3) ? ctx.Out(3, ctx.InType(kQ), s.Scores()).template MutableData<T>() : nullptr;
  const int64_t plane = s.queries * s.keys();
  std::vector<double> scores(static_cast<size_t>(plane));
  for (int64_t head = 0; head < s.batch * s.q_heads; ++head) {
    const int64_t b = head / s.q_heads, h = head % s.q_heads, kv = b * s.kv_heads + h / (s.q_heads / s.kv_heads);
    const auto show = [&](int64_t when) {
      if (shown && mode == when) {
        std::transform(scores.begin(), scores.end(), shown + head * plane, [](double v) { return static_cast<T>(v); });
      }
    };
    Scores(s, ctx.In(kQ).Data<T>() + HeadAt(s, b, h, s.size), RowStride(s, s.size),
           keys.data() + kv * s.keys() * s.size, scale, scores.data());
    show(0);
    if (cap > 0) {
      for (double& v : scores) v = cap * math::Tanh(v / cap);
    }
    show(1);
    const Reach reach{s.past > 0      ? s.past
                      : valid.empty() ? 0
                                      : valid[b] - s.queries,
                      valid.empty() ? s.keys() : valid[b], ctx.Attr<int64_t>("left_window_size"),
                      ctx.Attr<int64_t>("right_window_size"), ctx.Attr<int64_t>("is_causal") != 0};
    for (int64_t i = 0; i < plane; ++i) {
      const double add = bias[head * plane + i];
      // A forbidden key is -infinity even where its score is NaN.
      scores[i] = !reach.Allows(i / s.keys(), i % s.keys()) || add == -std::numeric_limits<double>::infinity()
                      ? -std::numeric_limits<double>::infinity()
                      : scores[i] + add;
    }
    show(2);
    for (int64_t i = 0; i < s.queries; ++i) SoftmaxRow(scores.data() + i * s.keys(), s.keys());
    show(3);
    WeighValues(s, scores.data(), values.data() + kv * s.keys() * s.v_size, y + HeadAt(s, b, h, s.v_size),
                RowStride(s, s.v_size));
  }
}

void AttentionKernel(KernelContext& ctx) {
  Dispatch(FloatTypes{}, ctx, ctx.InType(kQ), [&]<typename T>() { RunAttention<T>(ctx); });
}

// ---- FlexAttention: nested graphs change the scores and the weights ----

void InferFlexAttention(InferContext& ctx) {
  if (!Ranked(ctx)) return ctx.SetOut(0, ctx.InType(kQ), Shape::UnknownRank());
  const Sizes s = FitSizes(ctx);
  ctx.SetOut(0, ctx.InType(kQ), s.Output());
  if (!ctx.infer_graph) return;
  const DataType precision = ctx.InType(kQ) == DT_DOUBLE ? DT_DOUBLE : DT_FLOAT;
  for (const Subgraph& nested : ctx.node().subgraphs) {
    std::vector<InferContext::NestedInput> given;
    for (const NodeId id : nested.graph->Inputs()) {
      const int64_t* outer = nested.graph->node(id).attrs.FindAs<int64_t>("_parent_node_index");
      if (outer) {
        given.push_back(ctx.Given(static_cast<size_t>(*outer)));
      } else {
        given.push_back({TensorDesc(precision, s.Scores()), {}});
      }
    }
    ctx.infer_graph(*nested.graph, given, false);
  }
}

// All scores or weights through the nested graph `name`, when there is one.
void Modify(const KernelContext& ctx, const char* name, const Shape& shape, std::vector<double>& scores) {
  for (const Subgraph& nested : ctx.node().subgraphs) {
    if (nested.name != name) continue;
    const DataType precision = ctx.InType(kQ);
    Tensor given = Tensor::Allocate(precision, shape);
    for (size_t i = 0; i < scores.size(); ++i) {
      if (precision == DT_DOUBLE) {
        given.MutableData<double>()[i] = scores[i];
      } else {
        given.MutableData<float>()[i] = static_cast<float>(scores[i]);
      }
    }
    std::vector<Tensor> inputs;
    for (const NodeId id : nested.graph->Inputs()) {
      const int64_t* outer = nested.graph->node(id).attrs.FindAs<int64_t>("_parent_node_index");
      inputs.push_back(outer ? ctx.In(static_cast<size_t>(*outer)) : given);
    }
    const std::vector<Tensor> result = ctx.Run(*nested.graph, std::move(inputs));
    if (result.size() != 1 || result[0].shape() != shape) {
      ctx.Fail(std::string(name) + " must give one tensor of shape " + ToString(shape));
    }
    scores = ToDoubles(result[0]);
  }
}

void FlexAttentionKernel(KernelContext& ctx) {
  const Sizes s = FitSizes(ctx);
  CheckShapes(ctx, s);
  Dispatch(FloatTypes{}, ctx, ctx.InType(kQ), [&]<typename T>() {
    const int64_t plane = s.queries * s.keys();
    std::vector<double> scores(static_cast<size_t>(s.Scores().NumElements()));
    const auto key_head = [&](int64_t head) {
      return head / s.q_heads * s.kv_heads + head % s.q_heads / (s.q_heads / s.kv_heads);
    };
    for (int64_t head = 0; head < s.batch * s.q_heads; ++head) {
      Scores(s, ctx.In(kQ).Data<T>() + head * s.queries * s.size, s.size,
             ctx.In(kK).Data<T>() + key_head(head) * s.keys() * s.size, ScaleOf(ctx.node(), s),
             scores.data() + head * plane);
    }
    Modify(ctx, "score_mod", s.Scores(), scores);
    for (int64_t row = 0; row < s.batch * s.q_heads * s.queries; ++row) {
      SoftmaxRow(scores.data() + row * s.keys(), s.keys());
    }
    Modify(ctx, "prob_mod", s.Scores(), scores);
    T* y = ctx.Out(0, ctx.InType(kQ), s.Output()).template MutableData<T>();
    for (int64_t head = 0; head < s.batch * s.q_heads; ++head) {
      WeighValues(s, scores.data() + head * plane, ctx.In(kV).Data<T>() + key_head(head) * s.keys() * s.v_size,
                  y + head * s.queries * s.v_size, s.v_size);
    }
  });
}

}  // namespace

void RegisterAttentionOps(OpRegistry& registry) {
  OpDef attention("onnx::Attention");
  attention.In("Q").In("K").In("V").OptIn("attn_mask").OptIn("past_key").OptIn("past_value").OptIn("nonpad_kv_seqlen");
  attention.Out("Y").OptOut("present_key").OptOut("present_value").OptOut("qk_matmul_output");
  attention.Attr("is_causal", 0).Attr("q_num_heads", 0).Attr("kv_num_heads", 0).Attr("softcap", 0.0f);
  attention.Attr("softmax_precision", 0).Attr("qk_matmul_output_mode", 0);
  attention.Attr("left_window_size", -1).Attr("right_window_size", -1).Attr("opset", 23);
  registry.Add(attention.Traits(kWidenHalf).On(Unit::kCube).Infer(InferAttention).Kernel(AttentionKernel));
  registry.Add(OpDef("onnx::FlexAttention")
                   .In("Q")
                   .In("K")
                   .In("V")
                   .DynIn("captured")
                   .Out("Y")
                   .Attr("softmax_precision", 0)
                   .Attr("opset", 1)
                   .Traits(kWidenHalf)
                   .On(Unit::kCube)
                   .Infer(InferFlexAttention)
                   .Kernel(FlexAttentionKernel));
}

}  // namespace atc
