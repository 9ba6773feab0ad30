// Tensor lists, and the older tensor arrays, which become lists: what flows from one to the next is the list itself.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

Node& EmitList(NodeContext& ctx, const char* op, std::vector<ValueId> inputs, size_t outputs = 1) {
  Node& node = ctx.Emit("tf::" + std::string(op), std::move(inputs), outputs);
  for (const char* attr : {"element_dtype", "dtype", "T"}) {
    const DataType dtype = ctx.Type(attr);
    if (dtype == DT_UNDEFINED) continue;
    node.attrs.Set("element_dtype", AttrValue(dtype));
    break;
  }
  return node;
}

void List(NodeContext& ctx, const char* op, std::vector<ValueId> inputs, size_t outputs = 1) {
  const Node& node = EmitList(ctx, op, std::move(inputs), outputs);
  for (size_t i = 0; i < outputs; ++i) ctx.SetOutput(i, node.outputs[i]);
}

// A shape attribute as the operand that lists take.
ValueId ShapeOperand(NodeContext& ctx, const char* attr) {
  const Shape shape = ctx.ShapeAttr(attr);
  if (shape.HasRank() && ctx.Has(attr)) return ctx.ConstInts(shape.dims(), "element_shape");
  return ctx.Const(Tensor::Scalar(int64_t{-1}), "element_shape");
}

// Outputs: a handle, of which nothing depends here, and the list.
void ArrayNew(NodeContext& ctx) {
  const Node& node = EmitList(ctx, "TensorListReserve", {ShapeOperand(ctx, "element_shape"), ctx.In(0)});
  ctx.SetOutput(0, ctx.Const(ScalarOf(DT_INT32, 0), "handle"));
  ctx.SetOutput(1, node.outputs[0]);
}

void ArrayWrite(NodeContext& ctx) {
  Node& node = EmitList(ctx, "TensorListSetItem", {ctx.In(3), ctx.In(1), ctx.In(2)});
  node.attrs.Set("resize_if_index_out_of_bounds", true);
  ctx.SetOutput(0, node.outputs[0]);
}

void SetItem(NodeContext& ctx) {
  Node& node = EmitList(ctx, "TensorListSetItem", ctx.Inputs());
  node.attrs.Set("resize_if_index_out_of_bounds", ctx.Bool("resize_if_index_out_of_bounds"));
  ctx.SetOutput(0, node.outputs[0]);
}

}  // namespace

void RegisterTensorListConverters(ConverterRegistry& registry) {
  struct Same {
    const char* op;
    size_t outputs;
  };
  for (const Same& same : {Same{"EmptyTensorList", 1}, Same{"TensorListConcatV2", 2}, Same{"TensorListFromTensor", 1},
                           Same{"TensorListGather", 1}, Same{"TensorListGetItem", 1}, Same{"TensorListLength", 1},
                           Same{"TensorListPopBack", 2}, Same{"TensorListPushBack", 1}, Same{"TensorListReserve", 1},
                           Same{"TensorListResize", 1}, Same{"TensorListScatterIntoExistingList", 1},
                           Same{"TensorListScatterV2", 1}, Same{"TensorListSplit", 1}, Same{"TensorListStack", 1}}) {
    registry.Add(same.op, [same](NodeContext& ctx) { List(ctx, same.op, ctx.Inputs(), same.outputs); });
  }
  registry.Add("TensorListConcat", [](NodeContext& ctx) {
    List(ctx, "TensorListConcatV2", {ctx.In(0), ShapeOperand(ctx, "element_shape")}, 2);
  });
  registry.Add("TensorListScatter", [](NodeContext& ctx) { List(ctx, "TensorListScatterV2", ctx.Inputs()); });
  registry.Add("TensorListSetItem", SetItem);

  registry.Add("TensorArrayV3", ArrayNew);
  registry.Add("TensorArrayWriteV3", ArrayWrite);
  registry.Add("TensorArrayReadV3",
               [](NodeContext& ctx) { List(ctx, "TensorListGetItem", {ctx.In(2), ctx.In(1)}); });
  registry.Add("TensorArraySizeV3", [](NodeContext& ctx) { List(ctx, "TensorListLength", {ctx.In(1)}); });
  registry.Add("TensorArrayGatherV3", [](NodeContext& ctx) {
    List(ctx, "TensorListGather", {ctx.In(2), ctx.In(1), ShapeOperand(ctx, "element_shape")});
  });
  registry.Add("TensorArrayScatterV3", [](NodeContext& ctx) {
    List(ctx, "TensorListScatterIntoExistingList", {ctx.In(3), ctx.In(2), ctx.In(1)});
  });
  registry.Add("TensorArrayConcatV3", [](NodeContext& ctx) { List(ctx, "TensorListConcatV2", {ctx.In(1)}, 2); });
  registry.Add("TensorArraySplitV3", [](NodeContext& ctx) {
    List(ctx, "TensorListSplit", {ctx.In(1), ShapeOperand(ctx, "element_shape"), ctx.In(2)});
  });
}

}  // namespace atc::tf_parser
