// Parts of sequence models: onnx::RotaryEmbedding, RotaryPositionEmbedding, onnx::CausalConvWithState and onnx::LinearAttention.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/broadcast.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/math.h"

namespace atc {
namespace {

// Operand i must have this shape and the type of operand 0.
template <typename T>
const T* Operand(const KernelContext& ctx, size_t i, const Shape& shape) {
  if (!ctx.HasInput(i)) return nullptr;
  if (ctx.InShape(i) != shape || ctx.InType(i) != ctx.InType(0)) {
    ctx.Fail(ctx.node().def->InputName(i) + " has shape " + ToString(ctx.InShape(i)) + ", wanted " + ToString(shape) +
             " and the type of " + ctx.node().def->InputName(0));
  }
  return ctx.In(i).Data<T>();
}

// Pairs of elements, halves or neighbours, turned by the angle of their position.
template <typename T>
void RunRotary(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.rank() != 3 && x.rank() != 4) ctx.Fail("X " + ToString(x) + " must have rank 3 or 4");
  const bool packed = x.rank() == 3;
  const int64_t heads = packed ? ctx.Attr<int64_t>("num_heads") : x[1];
  if (packed && (heads < 1 || x[2] % heads != 0)) ctx.Fail("num_heads must divide the last dim of X " + ToString(x));
  const int64_t batch = x[0], steps = packed ? x[1] : x[2], size = packed ? x[2] / heads : x[3];
  const int64_t named = ctx.Attr<int64_t>("rotary_embedding_dim"), turned = named == 0 ? size : named;
  if (turned < 0 || turned > size || turned % 2 != 0) {
    ctx.Fail("rotary_embedding_dim " + std::to_string(turned) + " must be even and at most " + std::to_string(size));
  }
  const int64_t half = turned / 2;
  const bool neighbours = ctx.Attr<int64_t>("interleaved") != 0;
  std::vector<int64_t> row(static_cast<size_t>(batch * steps));
  const Shape& cache = ctx.InShape(1);
  if (ctx.HasInput(3)) {
    if (ctx.InShape(3) != Shape{batch, steps} || cache.rank() != 2) {
      ctx.Fail("position_ids must be " + ToString(Shape{batch, steps}) + " and the caches of rank 2");
    }
    row = ToInts(ctx.In(3));
    for (const int64_t r : row) {
      if (r < 0 || r >= cache[0])
        ctx.Fail("position " + std::to_string(r) + " is outside the cache " + ToString(cache));
    }
  } else {
    if (cache != Shape{batch, steps, half})
      ctx.Fail("cos_cache is " + ToString(cache) + ", wanted " + ToString(Shape{batch, steps, half}));
    for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<int64_t>(i);
  }
  if (cache.rank() == 0 || cache[cache.rank() - 1] != half) {
    ctx.Fail("the last dim of cos_cache " + ToString(cache) + " must be " + std::to_string(half));
  }
  const T *cosine = Operand<T>(ctx, 1, cache), *sine = Operand<T>(ctx, 2, cache), *from = ctx.In(0).Data<T>();
  T* to = ctx.Out(0, ctx.InType(0), x).template MutableData<T>();
  for (int64_t i = 0; i < batch * heads * steps; ++i) {
    // Positions of a row of `size` elements: batch, then head and step in the order of the layout.
    const int64_t b = i / (heads * steps), step = packed ? i / heads % steps : i % steps;
    const T *cos_row = cosine + row[b * steps + step] * half, *sin_row = sine + row[b * steps + step] * half;
    const T* in = from + i * size;
    T* out = to + i * size;
    for (int64_t k = 0; k < half; ++k) {
      const int64_t first = neighbours ? 2 * k : k, second = neighbours ? 2 * k + 1 : half + k;
      const double c = static_cast<double>(cos_row[k]), s = static_cast<double>(sin_row[k]);
      const double re = static_cast<double>(in[first]), im = static_cast<double>(in[second]);
      out[first] = static_cast<T>(c * re - s * im);
      out[second] = static_cast<T>(s * re + c * im);
    }
    std::copy_n(in + turned, size - turned, out + turned);
  }
}

void RotaryKernel(KernelContext& ctx) {
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() { RunRotary<T>(ctx); });
}

// y = x * cos + turned(x) * sin, broadcast together, where turned(x) is (-b, a) of the halves a, b of a row (mode 0) or of
// its neighbours (mode 1).
template <typename T>
void RunRotaryPosition(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const int64_t mode = ctx.Attr<int64_t>("mode"), size = x.rank() == 0 ? 0 : x[x.rank() - 1];
  if (mode != 0 && mode != 1) ctx.Fail("mode is " + std::to_string(mode) + ", wanted 0 (halves) or 1 (neighbours)");
  if (size == 0 || size % 2 != 0) ctx.Fail("the last dim of x " + ToString(x) + " must be even");
  Tensor turned = Tensor::Allocate(ctx.InType(0), x);
  const T* from = ctx.In(0).Data<T>();
  T* to = turned.MutableData<T>();
  for (int64_t i = 0; i < turned.NumElements(); ++i) {
    const int64_t at = i % size;
    const bool first = mode == 0 ? at < size / 2 : at % 2 == 0;
    const int64_t other = mode == 0 ? size / 2 : 1;
    to[i] = first ? -from[i + other] : from[i - other];
  }
  const Shape shape = BroadcastInputShapes(ctx);
  const BroadcastPlan plan = PlanBroadcast(shape, {x, ctx.InShape(1), ctx.InShape(2)});
  const T *cosine = ctx.In(1).Data<T>(), *sine = ctx.In(2).Data<T>();
  T* y = ctx.Out(0, ctx.InType(0), shape).template MutableData<T>();
  ForEachRow<3>(plan, [&](int64_t at, const std::array<int64_t, 3>& row) {
    for (int64_t i = 0; i < plan.inner(); ++i) {
      const int64_t here = row[0] + i * plan.strides[0].back();
      const double c = static_cast<double>(cosine[row[1] + i * plan.strides[1].back()]);
      const double s = static_cast<double>(sine[row[2] + i * plan.strides[2].back()]);
      y[at + i] = static_cast<T>(static_cast<double>(from[here]) * c + static_cast<double>(to[here]) * s);
    }
  });
}

void RotaryPositionKernel(KernelContext& ctx) {
  RequireSameTypes(ctx);
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() { RunRotaryPosition<T>(ctx); });
}

void InferCausalConv(InferContext& ctx) {
  const Shape &x = ctx.InShape(0), &w = ctx.InShape(1);
  ctx.SetOut(0, ctx.InType(0), x);
  const bool ranked = x.HasRank() && w.HasRank() && x.rank() == 3 && w.rank() == 3;
  ctx.SetOut(1, ctx.InType(0), ranked ? Shape{x[0], x[1], w[2] < 0 ? kUnknownDim : w[2] - 1} : Shape::UnknownDims(3));
}

// Each channel by its own kernel, over its past (or zeros) and itself; the last k - 1 elements are the next past.
template <typename T>
void RunCausalConv(KernelContext& ctx) {
  const Shape &x = ctx.InShape(0), &w = ctx.InShape(1);
  if (x.rank() != 3 || w.rank() != 3 || w[0] != x[1] || w[1] != 1 || w[2] < 1) {
    ctx.Fail("input " + ToString(x) + " and weight " + ToString(w) + " must be [N, C, L] and [C, 1, k]");
  }
  const auto activation = ctx.Attr<std::string>("activation");
  if (activation != "none" && activation != "silu" && activation != "swish") {
    ctx.Fail("activation is '" + activation + "', wanted none, silu or swish");
  }
  const int64_t channels = x[1], length = x[2], k = w[2], keep = k - 1;
  const T* weight = Operand<T>(ctx, 1, w);
  const T* bias = Operand<T>(ctx, 2, {channels});
  const T* past = Operand<T>(ctx, 3, {x[0], channels, keep});
  T* y = ctx.Out(0, ctx.InType(0), x).template MutableData<T>();
  T* state = ctx.WantsOutput(1) ? ctx.Out(1, ctx.InType(0), {x[0], channels, keep}).template MutableData<T>() : nullptr;
  std::vector<T> line(static_cast<size_t>(keep + length));
  for (int64_t row = 0; row < x[0] * channels; ++row) {
    if (past) {
      std::copy_n(past + row * keep, keep, line.begin());
    } else {
      std::fill_n(line.begin(), keep, T{0});
    }
    std::copy_n(ctx.In(0).Data<T>() + row * length, length, line.begin() + keep);
    const int64_t c = row % channels;
    for (int64_t t = 0; t < length; ++t) {
      double sum = bias ? static_cast<double>(bias[c]) : 0;
      for (int64_t j = 0; j < k; ++j) sum += static_cast<double>(line[t + j]) * static_cast<double>(weight[c * k + j]);
      y[row * length + t] = static_cast<T>(activation == "none" ? sum : sum / (1 + math::Exp(-sum)));
    }
    if (state) std::copy_n(line.end() - keep, keep, state + row * keep);
  }
}

void CausalConvKernel(KernelContext& ctx) {
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() { RunCausalConv<T>(ctx); });
}

struct LinearSizes {
  int64_t batch, steps, q_heads, kv_heads, size, v_size;
};

template <typename Context>
LinearSizes FitLinear(const Context& ctx) {
  const Shape &q = ctx.InShape(0), &k = ctx.InShape(1), &v = ctx.InShape(2);
  const int64_t q_heads = ctx.template Attr<int64_t>("q_num_heads"),
                kv_heads = ctx.template Attr<int64_t>("kv_num_heads");
  if (q.rank() != 3 || k.rank() != 3 || v.rank() != 3 || kv_heads < 1 || q_heads < 1 || q_heads % kv_heads != 0) {
    ctx.Fail("query " + ToString(q) + ", key " + ToString(k) + " and value " + ToString(v) +
             " must have rank 3 and divide into " + std::to_string(q_heads) + " and " + std::to_string(kv_heads) +
             " heads");
  }
  return {
      q[0], q[1], q_heads, kv_heads, q[2] < 0 ? kUnknownDim : q[2] / q_heads, v[2] < 0 ? kUnknownDim : v[2] / kv_heads};
}

void InferLinearAttention(InferContext& ctx) {
  if (!ctx.InShape(0).HasRank() || !ctx.InShape(1).HasRank() || !ctx.InShape(2).HasRank()) {
    ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(3));
    ctx.SetOut(1, ctx.HasInput(3) ? ctx.InType(3) : ctx.InType(0), Shape::UnknownDims(4));
    return;
  }
  const LinearSizes s = FitLinear(ctx);
  ctx.SetOut(0, ctx.InType(0), {s.batch, s.steps, s.v_size < 0 ? kUnknownDim : s.q_heads * s.v_size});
  ctx.SetOut(1, ctx.HasInput(3) ? ctx.InType(3) : ctx.InType(0), {s.batch, s.kv_heads, s.size, s.v_size});
}

// The recurrence step by step: a state [size, v_size] a head that decays, is written by key and value, read by the
// query.
template <typename T>
void RunLinearAttention(KernelContext& ctx) {
  const LinearSizes s = FitLinear(ctx);
  const auto rule = ctx.Attr<std::string>("update_rule");
  const bool decays = rule == "gated" || rule == "gated_delta", corrects = rule == "delta" || rule == "gated_delta";
  if (!decays && !corrects && rule != "linear") ctx.Fail("update_rule is '" + rule + "', which is none");
  if ((decays && !ctx.HasInput(4)) || (corrects && !ctx.HasInput(5))) {
    ctx.Fail("update_rule " + rule + " needs the operand " + (decays && !ctx.HasInput(4) ? "decay" : "beta"));
  }
  const T* q = Operand<T>(ctx, 0, {s.batch, s.steps, s.q_heads * s.size});
  const T* k = Operand<T>(ctx, 1, {s.batch, s.steps, s.kv_heads * s.size});
  const T* v = Operand<T>(ctx, 2, {s.batch, s.steps, s.kv_heads * s.v_size});
  const int64_t decay_width = decays ? ctx.InShape(4).rank() == 3 ? ctx.InShape(4)[2] : -1 : 0;
  const int64_t beta_width = corrects ? ctx.InShape(5).rank() == 3 ? ctx.InShape(5)[2] : -1 : 0;
  const T* decay = decays ? Operand<T>(ctx, 4, {s.batch, s.steps, decay_width}) : nullptr;
  const T* beta = corrects ? Operand<T>(ctx, 5, {s.batch, s.steps, beta_width}) : nullptr;
  if ((decays && decay_width != s.kv_heads && decay_width != s.kv_heads * s.size) ||
      (corrects && beta_width != s.kv_heads && beta_width != 1)) {
    ctx.Fail("decay or beta do not fit " + std::to_string(s.kv_heads) + " heads");
  }
  const float given = ctx.Attr<float>("scale");
  const double scale = given == 0 ? 1 / std::sqrt(static_cast<double>(s.size)) : static_cast<double>(given);
  const Shape state_shape{s.batch, s.kv_heads, s.size, s.v_size};
  std::vector<double> states(static_cast<size_t>(state_shape.NumElements()), 0.0);
  if (ctx.HasInput(3)) {
    if (ctx.InShape(3) != state_shape)
      ctx.Fail("past_state is " + ToString(ctx.InShape(3)) + ", wanted " + ToString(state_shape));
    states = ToDoubles(ctx.In(3));
  }
  T* y = ctx.Out(0, ctx.InType(0), {s.batch, s.steps, s.q_heads * s.v_size}).template MutableData<T>();
  const int64_t share = s.q_heads / s.kv_heads;
  std::vector<double> write(static_cast<size_t>(s.v_size));
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t h = 0; h < s.kv_heads; ++h) {
      double* state = states.data() + (b * s.kv_heads + h) * s.size * s.v_size;
      for (int64_t t = 0; t < s.steps; ++t) {
        const int64_t at = b * s.steps + t;
        const T *key = k + (at * s.kv_heads + h) * s.size, *value = v + (at * s.kv_heads + h) * s.v_size;
        for (int64_t i = 0; decays && i < s.size; ++i) {
          const T g = decay[at * decay_width + (decay_width == s.kv_heads ? h : h * s.size + i)];
          const double factor = math::Exp(static_cast<double>(g));
          for (int64_t e = 0; e < s.v_size; ++e) state[i * s.v_size + e] *= factor;
        }
        for (int64_t e = 0; e < s.v_size; ++e) {
          write[e] = static_cast<double>(value[e]);
          for (int64_t i = 0; corrects && i < s.size; ++i)
            write[e] -= state[i * s.v_size + e] * static_cast<double>(key[i]);
          if (corrects) write[e] *= static_cast<double>(beta[at * beta_width + (beta_width == 1 ? 0 : h)]);
        }
        for (int64_t i = 0; i < s.size; ++i) {
          for (int64_t e = 0; e < s.v_size; ++e) state[i * s.v_size + e] += static_cast<double>(key[i]) * write[e];
        }
        for (int64_t g = h * share; g < (h + 1) * share; ++g) {
          const T* query = q + (at * s.q_heads + g) * s.size;
          for (int64_t e = 0; e < s.v_size; ++e) {
            double sum = 0;
            for (int64_t i = 0; i < s.size; ++i) sum += static_cast<double>(query[i]) * state[i * s.v_size + e];
            y[(at * s.q_heads + g) * s.v_size + e] = static_cast<T>(scale * sum);
          }
        }
      }
    }
  }
  if (!ctx.WantsOutput(1)) return;
  const DataType dtype = ctx.HasInput(3) ? ctx.InType(3) : ctx.InType(0);
  Dispatch(FloatTypes{}, ctx, dtype, [&]<typename S>() {
    std::transform(states.begin(), states.end(), ctx.Out(1, dtype, state_shape).template MutableData<S>(),
                   [](double value) { return static_cast<S>(value); });
  });
}

void LinearAttentionKernel(KernelContext& ctx) {
  Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() { RunLinearAttention<T>(ctx); });
}

}  // namespace

void RegisterSequenceMixingOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::CausalConvWithState")
                   .In("input")
                   .In("weight")
                   .OptIn("bias")
                   .OptIn("past_state")
                   .Out("output")
                   .OptOut("present_state")
                   .Attr("activation", "none")
                   .Attr("opset", 27)
                   .Traits(kWidenHalf)
                   .Infer(InferCausalConv)
                   .Kernel(CausalConvKernel));
  registry.Add(OpDef("onnx::LinearAttention")
                   .In("query")
                   .In("key")
                   .In("value")
                   .OptIn("past_state")
                   .OptIn("decay")
                   .OptIn("beta")
                   .Out("output")
                   .OptOut("present_state")
                   .Attr("chunk_size", 64)
                   .Attr("q_num_heads", 0)
                   .Attr("kv_num_heads", 0)
                   .Attr("scale", 0.0f)
                   .Attr("update_rule", "gated_delta")
                   .Attr("opset", 27)
                   .Traits(kWidenHalf)
                   .Infer(InferLinearAttention)
                   .Kernel(LinearAttentionKernel));
  registry.Add(OpDef("onnx::RotaryEmbedding")
                   .In("X")
                   .In("cos_cache")
                   .In("sin_cache")
                   .OptIn("position_ids")
                   .Out("Y")
                   .Attr("interleaved", 0)
                   .Attr("num_heads", 0)
                   .Attr("rotary_embedding_dim", 0)
                   .Attr("opset", 23)
                   .Traits(kWidenHalf)
                   .Infer(InferSameAsInput)
                   .Kernel(RotaryKernel));
  registry.Add(OpDef("RotaryPositionEmbedding")
                   .In("x")
                   .In("cos")
                   .In("sin")
                   .Out("y")
                   .Attr("mode", 0)
                   .Traits(kWidenHalf)
                   .Infer(InferBroadcast)
                   .Kernel(RotaryPositionKernel));
}

}  // namespace atc
