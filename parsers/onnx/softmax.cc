// Softmax, LogSoftmax and Hardmax. Before opset 13 they take all axes from `axis` on together: the tensor is flattened
// to two dims around the operator, which then works on the last axis.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void SetAxis(Node& node, int64_t axis) {
  if (node.def->FindAttr("axis") != nullptr) {
    node.attrs.Set("axis", axis);
  } else {
    node.attrs.Set("axes", std::vector<int64_t>{axis});
  }
}

// Over `axis` alone (opset 13).
void OneAxis(NodeContext& ctx, Name type) { SetAxis(ctx.Pass(type), ctx.Int("axis", -1)); }

void Flattened(NodeContext& ctx, Name type) {
  const int64_t axis = ctx.Int("axis", 1);
  const TensorDesc& x = ctx.Desc(0);
  const bool ranked = x.dtype != DT_UNDEFINED && x.origin_shape.HasRank();
  if (axis == -1 || (ranked && axis + 1 == static_cast<int64_t>(x.origin_shape.rank()))) {
    return SetAxis(ctx.Pass(type), -1);
  }
  Node& shape = ctx.Emit("Shape", {ctx.In(0)}, 1, "shape");
  shape.attrs.Set("dtype", static_cast<int64_t>(DT_INT64));
  Node& flat = ctx.Emit("Flatten", {ctx.In(0)}, 1, "flat");
  flat.attrs.Set("axis", axis);
  Node& node = ctx.Emit(type, {flat.outputs[0]}, 1, "rows");
  SetAxis(node, -1);
  ctx.SetOutput(0, ctx.Emit("Reshape", {node.outputs[0], shape.outputs[0]}).outputs[0]);
}

void Register(ConverterRegistry& registry, const char* op_type, const char* ascend_type) {
  registry.Add(op_type, 1, [ascend_type](NodeContext& ctx) { Flattened(ctx, ascend_type); });
  registry.Add(op_type, 13, [ascend_type](NodeContext& ctx) { OneAxis(ctx, ascend_type); });
}

}  // namespace

void RegisterSoftmaxConverters(ConverterRegistry& registry) {
  Register(registry, "Hardmax", "HardMax");
  Register(registry, "LogSoftmax", "LogSoftmaxV2");
  Register(registry, "Softmax", "SoftmaxV2");
}

}  // namespace atc::onnx_parser
