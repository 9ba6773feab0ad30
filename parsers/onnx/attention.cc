// Attention and other parts of sequence models, kept whole.
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

}  // namespace

void RegisterAttentionConverters(ConverterRegistry& registry) {
  registry.AddKeep("Attention", 23);
  registry.AddKeep("CausalConvWithState", 27);
  registry.Add("FlexAttention", 1, FlexAttention, kPreview);
  registry.AddKeep("LinearAttention", 27);
  registry.AddKeep("RotaryEmbedding", 23);
}

}  // namespace atc::onnx_parser
