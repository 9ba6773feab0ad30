// Attention and other parts of sequence models, kept whole where AscendIR has nothing of their meaning.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

constexpr const char* kPreview = "ai.onnx.preview";

void FlexAttention(NodeContext& ctx) {
  Node& node = ctx.Keep();
  for (const char* graph : {"score_mod", "prob_mod"}) {
    if (ctx.GraphAttr(graph) != nullptr) ctx.ConvertSubgraph(node, graph);
  }
}

// Y = Swish(A) * B. AscendIR's SwiGlu takes both halves in one tensor and knows no alpha.
void SwiGlu(NodeContext& ctx) {
  Node& gate = ctx.Emit("Swish", {ctx.In(0)}, 1, "gate");
  gate.attrs.Set("scale", ctx.Float("alpha", 1));
  ctx.SetOutput(0, ctx.Emit("Mul", {gate.outputs[0], ctx.In(1)}).outputs[0]);
}

}  // namespace

void RegisterAttentionConverters(ConverterRegistry& registry) {
  registry.AddKeep("Attention", 23);
  registry.AddKeep("CausalConvWithState", 27);
  registry.Add("FlexAttention", 1, FlexAttention, kPreview);
  registry.AddKeep("LinearAttention", 27);
  registry.AddKeep("RotaryEmbedding", 23);
  registry.Add("SwiGLU", 28, SwiGlu);
}

}  // namespace atc::onnx_parser
