// Index of the largest or smallest element along an axis.
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/index_type.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

struct ArgSpec {
  int64_t axis;     // counted from the start
  bool keep;
  bool last;        // of equal elements the last one wins
  DataType dtype;   // of the result
};

Shape ArgShape(const Shape& x, int64_t axis, bool keep) {
  std::vector<int64_t> dims = x.dims();
  if (keep) {
    dims[axis] = 1;
  } else {
    dims.erase(dims.begin() + axis);
  }
  return Shape(std::move(dims));
}

// AscendIR: the axis is an input, the dim goes away, the first one wins.
void InferArgV2(InferContext& ctx) {
  const DataType dtype = CheckedIndexType(ctx, ctx.Attr<DataType>("dtype"));
  const Shape& x = ctx.InShape(0);
  const auto axis = ctx.KnownInts(1);
  if (!x.HasRank() || x.rank() == 0) return ctx.SetOut(0, dtype, x);
  if (!axis || axis->size() != 1) return ctx.SetOut(0, dtype, Shape::UnknownDims(x.rank() - 1));
  ctx.SetOut(0, dtype, ArgShape(x, NormalizeAxis(ctx, (*axis)[0], x.rank()), false));
}

void InferOnnxArg(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, DT_INT64, x);
  const int64_t axis = NormalizeAxis(ctx, ctx.Attr<int64_t>("axis"), x.rank());
  ctx.SetOut(0, DT_INT64, ArgShape(x, axis, ctx.Attr<int64_t>("keepdims") != 0));
}

// A NaN beats every number, as in NumPy.
template <typename T, bool kMax>
bool Beats(T x, T best) {
  if (x != x) return best == best;
  return kMax ? x > best : x < best;
}

template <bool kMax>
void Arg(KernelContext& ctx, const ArgSpec& spec) {
  const AxisLoop loop(ctx.InShape(0), spec.axis);
  if (loop.length == 0 && loop.outer * loop.inner > 0) {
    ctx.Fail("axis " + std::to_string(spec.axis) + " of " + ToString(ctx.InShape(0)) +
             " has no element, at least one is needed");
  }
  Tensor& out = ctx.Out(0, spec.dtype, ArgShape(ctx.InShape(0), spec.axis, spec.keep));
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t o = 0; o < loop.outer; ++o) {
      for (int64_t i = 0; i < loop.inner; ++i) {
        const T* x = ctx.In(0).Data<T>() + loop.Offset(o, 0, i);
        int64_t best = 0;
        for (int64_t k = 1; k < loop.length; ++k) {
          const T value = x[k * loop.inner], so_far = x[best * loop.inner];
          if (Beats<T, kMax>(value, so_far) || (spec.last && value == so_far)) best = k;
        }
        if (spec.dtype == DT_INT32) {
          out.MutableData<int32_t>()[o * loop.inner + i] = static_cast<int32_t>(best);
        } else {
          out.MutableData<int64_t>()[o * loop.inner + i] = best;
        }
      }
    }
  });
}

template <bool kMax>
void ArgV2Kernel(KernelContext& ctx) {
  const int64_t axis = OneInt(ctx, 1, "dimension");
  Arg<kMax>(ctx, {CheckedAxis(ctx, axis, ctx.InShape(0)), false, false, CheckedIndexType(ctx, ctx.Attr<DataType>("dtype"))});
}

template <bool kMax>
void OnnxArgKernel(KernelContext& ctx) {
  Arg<kMax>(ctx, {CheckedAxis(ctx, ctx.Attr<int64_t>("axis"), ctx.InShape(0)), ctx.Attr<int64_t>("keepdims") != 0,
                  ctx.Attr<int64_t>("select_last_index") != 0, DT_INT64});
}

}  // namespace

void RegisterArgOps(OpRegistry& registry) {
  const auto v2 = [](const char* type) {
    return OpDef(type).In("x").In("dimension").Out("y").Attr("dtype", DT_INT64).Traits(kWidenHalf).Infer(InferArgV2);
  };
  const auto onnx = [](const char* type) {
    return OpDef(type).In("data").Out("reduced").Attr("axis", 0).Attr("keepdims", 1).Attr("select_last_index", 0)
        .Attr("opset", 0).Traits(kWidenHalf).Infer(InferOnnxArg);
  };
  registry.Add(v2("ArgMaxV2").Kernel(ArgV2Kernel<true>));
  registry.Add(v2("ArgMin").Kernel(ArgV2Kernel<false>));
  registry.Add(onnx("onnx::ArgMax").Kernel(OnnxArgKernel<true>));
  registry.Add(onnx("onnx::ArgMin").Kernel(OnnxArgKernel<false>));
}

}  // namespace atc
