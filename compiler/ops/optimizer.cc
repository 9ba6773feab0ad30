// Steps of training: onnx::Adagrad, onnx::Adam and onnx::Momentum of domain ai.onnx.preview.training.
//
// Operands: learning rate R, step count T, then for n tensors all values X, all gradients G and the states of each
// kind. Results: the new values, then the new states, in the same order.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/math.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

// X, G and as many states as there are kinds, n of each.
template <typename Context>
size_t TensorCount(const Context& ctx, size_t kinds) {
  const size_t given = ctx.num_inputs() < 2 ? 0 : ctx.num_inputs() - 2;
  if (given == 0 || given % kinds != 0) {
    ctx.Fail(std::to_string(given) + " tensors do not divide into " + std::to_string(kinds) + " kinds");
  }
  const size_t n = given / kinds;
  if (ctx.num_outputs() != n * (kinds - 1)) {
    ctx.Fail(std::to_string(ctx.num_outputs()) + " outputs, wanted " + std::to_string(n * (kinds - 1)));
  }
  return n;
}

size_t Kinds(const Node& node) { return node.type() == "onnx::Adam" ? 4 : 3; }

void InferOptimizer(InferContext& ctx) {
  const size_t kinds = Kinds(ctx.node()), n = TensorCount(ctx, kinds);
  RequireElements(ctx, 0, 1);
  RequireElements(ctx, 1, 1);
  for (size_t k = 0; k < n; ++k) {
    for (size_t kind = 1; kind < kinds; ++kind) {
      const size_t i = 2 + kind * n + k;
      RequireOperandShape(ctx, i, ctx.InShape(2 + k));
      if (ctx.InType(i) != ctx.InType(2 + k)) {
        ctx.Fail("operand " + ctx.node().def->InputName(i) + " is " + std::string(DataTypeName(ctx.InType(i))) +
                 ", the tensor that it belongs to " + std::string(DataTypeName(ctx.InType(2 + k))));
      }
    }
  }
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    const size_t from = 2 + (i < n ? i : i + n);  // a state has the shape of its own operand
    if (from < ctx.num_inputs()) ctx.SetOut(i, ctx.InType(from), ctx.InShape(from));
  }
}

// Calls step(x, g, states) for every element; x and the states are changed in place and stored.
template <typename T, typename Step>
void Update(KernelContext& ctx, Step step) {
  const size_t kinds = Kinds(ctx.node()), states = kinds - 2, n = TensorCount(ctx, kinds);
  for (size_t k = 0; k < n; ++k) {
    const Tensor& x = ctx.In(2 + k);
    const T* in[4];
    T* out[3];
    for (size_t kind = 0; kind < kinds; ++kind) {
      const Tensor& tensor = ctx.In(2 + kind * n + k);
      if (tensor.dtype() != x.dtype() || tensor.shape() != x.shape()) {
        ctx.Fail("the values, gradients and states of a tensor must have one type and shape");
      }
      in[kind] = tensor.Data<T>();
    }
    for (size_t s = 0; s <= states; ++s) out[s] = ctx.Out(s * n + k, x.dtype(), x.shape()).template MutableData<T>();
    for (int64_t i = 0; i < x.NumElements(); ++i) {
      double value = static_cast<double>(in[0][i]), state[2] = {};
      for (size_t s = 0; s < states; ++s) state[s] = static_cast<double>(in[2 + s][i]);
      step(value, static_cast<double>(in[1][i]), state);
      out[0][i] = static_cast<T>(value);
      for (size_t s = 0; s < states; ++s) out[1 + s][i] = static_cast<T>(state[s]);
    }
  }
}

struct Schedule {
  double rate;
  int64_t steps;
};

Schedule ReadSchedule(const KernelContext& ctx) {
  if (ctx.num_inputs() < 3 || ctx.In(0).NumElements() != 1 || ctx.In(1).NumElements() != 1) {
    ctx.Fail("R and T must be scalars");
  }
  return {ToDoubles(ctx.In(0))[0], ToInts(ctx.In(1))[0]};
}

void AdagradKernel(KernelContext& ctx) {
  const Schedule schedule = ReadSchedule(ctx);
  const double decay = ctx.Attr<float>("decay_factor"), norm = ctx.Attr<float>("norm_coefficient");
  const double epsilon = ctx.Attr<float>("epsilon");
  const double rate = schedule.rate / (1 + static_cast<double>(schedule.steps) * decay);
  Dispatch(FloatTypes{}, ctx, ctx.InType(2), [&]<typename T>() {
    Update<T>(ctx, [&](double& x, double g, double* state) {
      g += norm * x;
      state[0] += g * g;
      x -= rate * g / (std::sqrt(state[0]) + epsilon);
    });
  });
}

void AdamKernel(KernelContext& ctx) {
  const Schedule schedule = ReadSchedule(ctx);
  const double alpha = ctx.Attr<float>("alpha"), beta = ctx.Attr<float>("beta"), epsilon = ctx.Attr<float>("epsilon");
  const double norm = ctx.Attr<float>("norm_coefficient"), post = ctx.Attr<float>("norm_coefficient_post");
  double rate = schedule.rate;
  if (schedule.steps > 0) {
    const auto t = static_cast<double>(schedule.steps);
    rate *= std::sqrt(1 - math::Pow(beta, t)) / (1 - math::Pow(alpha, t));
  }
  Dispatch(FloatTypes{}, ctx, ctx.InType(2), [&]<typename T>() {
    Update<T>(ctx, [&](double& x, double g, double* state) {
      g += norm * x;
      state[0] = alpha * state[0] + (1 - alpha) * g;
      state[1] = beta * state[1] + (1 - beta) * g * g;
      x = (1 - post) * (x - rate * state[0] / (std::sqrt(state[1]) + epsilon));
    });
  });
}

void MomentumKernel(KernelContext& ctx) {
  const Schedule schedule = ReadSchedule(ctx);
  const double alpha = ctx.Attr<float>("alpha"), norm = ctx.Attr<float>("norm_coefficient");
  const double beta = schedule.steps > 0 ? static_cast<double>(ctx.Attr<float>("beta")) : 1;
  const auto mode = ctx.Attr<std::string>("mode");
  if (mode != "standard" && mode != "nesterov") ctx.Fail("mode is '" + mode + "', wanted standard or nesterov");
  Dispatch(FloatTypes{}, ctx, ctx.InType(2), [&]<typename T>() {
    Update<T>(ctx, [&](double& x, double g, double* state) {
      g += norm * x;
      state[0] = alpha * state[0] + beta * g;
      x -= schedule.rate * (mode == "nesterov" ? g + alpha * state[0] : state[0]);
    });
  });
}

OpDef Definition(Name type) {
  return OpDef(type)
      .In("R")
      .In("T")
      .DynIn("inputs")
      .DynOut("outputs")
      .Attr("norm_coefficient", 0.0f)
      .Attr("opset", 1)
      .Traits(kWidenHalf)
      .Infer(InferOptimizer);
}

}  // namespace

void RegisterOptimizerOps(OpRegistry& registry) {
  registry.Add(Definition("onnx::Adagrad").Attr("decay_factor", 0.0f).Attr("epsilon", 1e-6f).Kernel(AdagradKernel));
  registry.Add(Definition("onnx::Adam")
                   .Attr("alpha", 0.9f)
                   .Attr("beta", 0.999f)
                   .Attr("epsilon", 1e-6f)
                   .Attr("norm_coefficient_post", 0.0f)
                   .Kernel(AdamKernel));
  registry.Add(Definition("onnx::Momentum")
                   .Attr("alpha", 0.0f).Attr("beta", 0.0f).Attr("mode", "")
                   .Kernel(MomentumKernel));
}

}  // namespace atc
