// Operators each of which does one thing wrong, and one that works from TensorFlow. Built again with FAULT for libraries
// that are wrong as a whole.
#include <stdexcept>

#include "register/custom_operator.h"

namespace {

[[maybe_unused]] ge::Status Same(ge::OperatorInferContext& ctx) {
  ctx.SetOutput(0, ctx.InputType(0), ctx.InputShape(0));
  return ge::SUCCESS;
}

[[maybe_unused]] ge::Status Double(ge::OperatorKernelContext& ctx) {
  int64_t factor = 0;
  if (!ctx.GetAttr("factor", factor)) factor = 2;
  const ge::Shape shape = ctx.InputShape(0);
  auto* y = static_cast<float*>(ctx.MakeOutput(0, ge::DT_FLOAT, shape));
  for (int64_t i = 0; i < shape.GetShapeSize(); ++i) y[i] = static_cast<float>(factor) * ctx.Input<float>(0)[i];
  return ge::SUCCESS;
}

[[maybe_unused]] ge::CustomOperator Operator(const char* type, const ge::OperatorInferFn& infer, const ge::OperatorKernelFn& kernel) {
  ge::CustomOperator custom(type);
  return custom.Input("x").Output("y").InferFn(infer).KernelFn(kernel).FromOnnx("faulty", type);
}

#ifndef FAULT
struct Odd {};

void RegisterAll(ge::OperatorRegistry& registry) {
  using Infer = ge::OperatorInferContext;
  using Kernel = ge::OperatorKernelContext;
  const auto infers = [&](const char* type, const ge::OperatorInferFn& fn) {
    registry.Register(Operator(type, fn, Double));
  };
  const auto computes = [&](const char* type, const ge::OperatorKernelFn& fn) {
    registry.Register(Operator(type, Same, fn));
  };
  infers("InferThrows", [](Infer&) -> ge::Status { throw std::runtime_error("no more eggs"); });
  infers("InferThrowsOdd", [](Infer&) -> ge::Status { throw Odd(); });
  infers("InferFails", [](Infer&) -> ge::Status { return 17; });
  infers("InferSilent", [](Infer&) -> ge::Status { return ge::SUCCESS; });
  infers("InferNoType", [](Infer& ctx) -> ge::Status {
    ctx.SetOutput(0, ge::DT_UNDEFINED, ctx.InputShape(0));
    return ge::SUCCESS;
  });
  infers("InferWildType", [](Infer& ctx) -> ge::Status {
    ctx.SetOutput(0, static_cast<ge::DataType>(4711), ctx.InputShape(0));
    return ge::SUCCESS;
  });
  infers("InferNegative", [](Infer& ctx) -> ge::Status {
    ctx.SetOutput(0, ge::DT_FLOAT, ge::Shape({-7}));
    return ge::SUCCESS;
  });
  computes("KernelThrows", [](Kernel&) -> ge::Status { throw std::runtime_error("no more flour"); });
  computes("KernelFails", [](Kernel&) -> ge::Status { return 18; });
  computes("KernelSays", [](Kernel& ctx) -> ge::Status {
    ctx.SetErrorMessage("the oven is cold");
    return ge::FAILED;
  });
  computes("KernelSilent", [](Kernel&) -> ge::Status { return ge::SUCCESS; });
  computes("KernelOtherShape", [](Kernel& ctx) -> ge::Status {
    ctx.MakeOutput(0, ge::DT_FLOAT, ge::Shape({1000}));
    return ge::SUCCESS;
  });
  computes("KernelOtherType", [](Kernel& ctx) -> ge::Status {
    ctx.MakeOutput(0, ge::DT_INT8, ctx.InputShape(0));
    return ge::SUCCESS;
  });
  ge::CustomOperator parse("ParseThrows");
  registry.Register(parse.Input("x").Output("y").InferFn(Same).KernelFn(Double).FromOnnx(
      "faulty", "ParseThrows", 1,
      [](const ge::Operator&, ge::Operator&) -> ge::Status { throw std::runtime_error("no more milk"); }));
  ge::CustomOperator two("TwoInputs");
  registry.Register(two.Input("a").Input("b").Output("y").InferFn(Same).KernelFn(Double).FromOnnx("faulty", "TwoInputs"));
  ge::CustomOperator tf("ScaledOnce");
  registry.Register(tf.Input("x", {ge::DT_FLOAT}).Output("y", {ge::DT_FLOAT}).Attr("factor", int64_t{2}).InferFn(Same)
                        .KernelFn(Double).FromTensorFlow("TfScaled"));
}
#elif FAULT == 1  // no kernel
void RegisterAll(ge::OperatorRegistry& registry) {
  ge::CustomOperator custom("NoKernel");
  registry.Register(custom.Input("x").Output("y").InferFn(Same).FromOnnx("faulty", "NoKernel"));
}
#elif FAULT == 2  // a type that is there
void RegisterAll(ge::OperatorRegistry& registry) { registry.Register(Operator("Relu", Same, Double)); }
#elif FAULT == 3  // throws
void RegisterAll(ge::OperatorRegistry&) { throw std::runtime_error("no more sugar"); }
#endif

}  // namespace

#if !defined(FAULT) || FAULT != 4  // 4: a library without the entry function and without operators
extern "C" void RegisterCustomOperators(ge::OperatorRegistry& registry) { RegisterAll(registry); }
#endif
