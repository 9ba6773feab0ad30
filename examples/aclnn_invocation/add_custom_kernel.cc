// AddCustom: z = x + y for tensors of one shape, fp16 or float. The project that atc writes has this file as a frame.
#include <cstdint>

#include "acl/acl_base.h"
#include "add_custom.h"

ge::Status InferAddCustom(ge::OperatorInferContext& ctx) {
  if (ctx.InputShape(0).GetDims() != ctx.InputShape(1).GetDims()) {
    ctx.SetErrorMessage("x and y must have one shape");
    return ge::FAILED;
  }
  ctx.SetOutput(0, ctx.InputType(0), ctx.InputShape(0));
  return ge::SUCCESS;
}

ge::Status ComputeAddCustom(ge::OperatorKernelContext& ctx) {
  const ge::Shape shape = ctx.InputShape(0);
  const int64_t count = shape.GetDims().empty() ? 1 : shape.GetShapeSize();
  void* z = ctx.MakeOutput(0, ctx.InputType(0), shape);
  for (int64_t i = 0; i < count; ++i) {
    if (ctx.InputType(0) == ge::DT_FLOAT) {
      static_cast<float*>(z)[i] = ctx.Input<float>(0)[i] + ctx.Input<float>(1)[i];
    } else {
      const float sum = aclFloat16ToFloat(ctx.Input<aclFloat16>(0)[i]) + aclFloat16ToFloat(ctx.Input<aclFloat16>(1)[i]);
      static_cast<aclFloat16*>(z)[i] = aclFloatToFloat16(sum);
    }
  }
  return ge::SUCCESS;
}
