// Non-maximum suppression.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

// Boxes and scores of half types are compared as floats.
std::vector<ValueId> AsFloats(NodeContext& ctx) {
  std::vector<ValueId> inputs = ctx.Inputs();
  for (size_t i = 0; i < inputs.size() && i < 2; ++i) {
    if (!IsHalf(ctx.InType(i))) continue;
    Node& cast = ctx.Emit("Cast", {inputs[i]}, 1, "float" + std::to_string(i));
    cast.attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT));
    inputs[i] = cast.outputs[0];
  }
  return inputs;
}

void Suppress(NodeContext& ctx, Name type, size_t outputs) {
  Node& node = ctx.Emit(type, AsFloats(ctx), outputs);
  ctx.CopyAttrs(node);
  for (size_t i = 0; i < outputs; ++i) ctx.SetOutput(i, node.outputs[i]);
}

}  // namespace

void RegisterDetectionConverters(ConverterRegistry& registry) {
  registry.Add("NonMaxSuppressionV3", [](NodeContext& ctx) { Suppress(ctx, "NonMaxSuppressionV3", 1); });
  struct Kept {
    const char* op;
    size_t outputs;
  };
  for (const Kept& kept : {Kept{"CombinedNonMaxSuppression", 4}, Kept{"NonMaxSuppression", 1},
                           Kept{"NonMaxSuppressionV2", 1}, Kept{"NonMaxSuppressionV4", 2},
                           Kept{"NonMaxSuppressionV5", 3}, Kept{"NonMaxSuppressionWithOverlaps", 1}}) {
    registry.Add(kept.op,
                 [kept](NodeContext& ctx) { Suppress(ctx, "tf::" + std::string(kept.op), kept.outputs); });
  }
}

}  // namespace atc::tf_parser
