// CoarseSteps: y = step * round(x / step), in the words of CANN's prototypes and parser plugins. Both of CANN's files
// (op_proto, framework) are here; inference and kernel are registered beside them.
//   x, y   float or double, any shape
// In models it is com.example::CoarseSteps.
#include <cmath>

#include "graph/operator_reg.h"
#include "register/register.h"

namespace ge {

REG_OP(CoarseSteps)
    .INPUT(x, TensorType({DT_FLOAT, DT_DOUBLE}))
    .OUTPUT(y, TensorType({DT_FLOAT, DT_DOUBLE}))
    .REQUIRED_ATTR(step, Float)
    .OP_END_FACTORY_REG(CoarseSteps)

}  // namespace ge

namespace domi {

REGISTER_CUSTOM_OP("CoarseSteps")
    .FrameworkType(ONNX)
    .OriginOpType("com.example::1::CoarseSteps")
    .ParseParamsByOperatorFn(AutoMappingByOpFn)
    .ImplyType(ImplyType::AI_CPU);

}  // namespace domi

namespace {

ge::Status Infer(ge::OperatorInferContext& ctx) {
  float step = 0;
  if (!ctx.GetAttr("step", step) || !(step > 0)) {
    ctx.SetErrorMessage("step must be a number above 0");
    return ge::FAILED;
  }
  ctx.SetOutput(0, ctx.InputType(0), ctx.InputShape(0));
  return ge::SUCCESS;
}

template <typename T>
void Round(const T* x, T* y, int64_t count, float step) {
  for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(step) * std::nearbyint(x[i] / static_cast<T>(step));
}

ge::Status Compute(ge::OperatorKernelContext& ctx) {
  float step = 1;
  ctx.GetAttr("step", step);
  const ge::Shape shape = ctx.InputShape(0);
  const int64_t count = shape.GetDims().empty() ? 1 : shape.GetShapeSize();
  void* y = ctx.MakeOutput(0, ctx.InputType(0), shape);
  if (ctx.InputType(0) == ge::DT_FLOAT) {
    Round(ctx.Input<float>(0), static_cast<float*>(y), count, step);
  } else {
    Round(ctx.Input<double>(0), static_cast<double*>(y), count, step);
  }
  return ge::SUCCESS;
}

}  // namespace

REGISTER_CUSTOM_OPERATOR("CoarseSteps").InferFn(Infer).KernelFn(Compute);
