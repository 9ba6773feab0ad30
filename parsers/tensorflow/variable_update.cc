// Writes into variables: output 0 is the new value, which what follows takes (variable_writes.h). A model keeps no state:
// the next run begins with the variable's first value again.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

ValueId Targets(NodeContext& ctx, bool rows) {
  if (!rows) return ctx.In(1);
  Node& node = ctx.Emit("Unsqueeze", {ctx.In(1)}, 1, "rows");  // row numbers are tuples of one
  node.attrs.Set("axes", std::vector<int64_t>{-1});
  return node.outputs[0];
}

// One number stands for all updates.
ValueId Updates(NodeContext& ctx, ValueId targets) {
  if (ctx.Rank(2) != 0) return ctx.In(2);
  const ValueId picked = ctx.Emit("GatherNd", {ctx.In(0), targets}, 1, "picked").outputs[0];
  const ValueId shape = ctx.Emit("Shape", {picked}, 1, "updates_shape").outputs[0];
  return ctx.Emit("BroadcastTo", {ctx.In(2), shape}, 1, "updates").outputs[0];
}

struct Scatter {
  const char* suffix;
  const char* reduction;
  bool negative;
};

constexpr Scatter kScatters[] = {
    {"Add", "add", false}, {"Div", "div", false}, {"Max", "max", false},     {"Min", "min", false},
    {"Mul", "mul", false}, {"Sub", "add", true},  {"Update", "none", false},
};

void ConvertScatter(NodeContext& ctx, const Scatter& scatter, bool rows) {
  const ValueId targets = Targets(ctx, rows);
  ValueId updates = Updates(ctx, targets);
  if (scatter.negative) updates = ctx.Emit("Neg", {updates}, 1, "negative").outputs[0];
  Node& node = ctx.Emit("onnx::ScatterND", {ctx.In(0), targets, updates});
  node.attrs.Set("reduction", scatter.reduction);
  node.attrs.Set("opset", 18);
  ctx.NoteWritten();
  ctx.SetOutput(0, node.outputs[0]);
}

void Combine(NodeContext& ctx, const char* type) {
  ctx.NoteWritten();
  ctx.SetOutput(0, ctx.Emit(type, {ctx.In(0), ctx.In(1)}).outputs[0]);
}

void ConvertAssign(NodeContext& ctx) {
  ctx.NoteWritten();
  ctx.SetOutput(0, ctx.Emit("Identity", {ctx.In(1)}).outputs[0]);
}

}  // namespace

void RegisterVariableUpdateConverters(ConverterRegistry& registry) {
  for (const char* op : {"Assign", "AssignVariableOp"}) registry.Add(op, ConvertAssign);
  for (const char* op : {"AssignAdd", "AssignAddVariableOp"}) {
    registry.Add(op, [](NodeContext& ctx) { Combine(ctx, "Add"); });
  }
  for (const char* op : {"AssignSub", "AssignSubVariableOp"}) {
    registry.Add(op, [](NodeContext& ctx) { Combine(ctx, "Sub"); });
  }
  for (const Scatter& scatter : kScatters) {
    for (const bool rows : {true, false}) {
      // There is no ScatterNdMul or ScatterNdDiv.
      if (!rows && (scatter.suffix == std::string_view("Mul") || scatter.suffix == std::string_view("Div"))) continue;
      const std::string name = std::string(rows ? "Scatter" : "ScatterNd") + scatter.suffix;
      for (const std::string& op : {name, "Resource" + name}) {
        registry.Add(op, [&scatter, rows](NodeContext& ctx) { ConvertScatter(ctx, scatter, rows); });
      }
    }
  }
}

}  // namespace atc::tf_parser
