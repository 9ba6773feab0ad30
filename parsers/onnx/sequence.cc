// Sequences and optionals. AscendIR has operators of the sequences' names and meaning; optionals are ONNX's alone.
#include <onnx/onnx_pb.h>

#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void ConvertSequenceMap(NodeContext& ctx) {
  const onnx::GraphProto* body = ctx.GraphAttr("body");
  if (body == nullptr || static_cast<size_t>(body->input_size()) != ctx.num_inputs() ||
      static_cast<size_t>(body->output_size()) < ctx.num_outputs()) {
    ctx.Fail("the attribute 'body' should hold a graph with as many inputs and outputs as the node");
  }
  std::vector<TensorDesc> formals;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    const TensorDesc& given = ctx.Desc(i);
    formals.push_back(given.dtype != DT_VARIANT ? given : given.element ? *given.element : TensorDesc());
  }
  Node& node = ctx.Keep();
  const std::vector<TensorDesc> results = ctx.ConvertSubgraph(node, "body", formals);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    TensorDesc sequence(DT_VARIANT, {kUnknownDim});
    if (results[i].dtype != DT_UNDEFINED) sequence.element = std::make_shared<const TensorDesc>(results[i]);
    ctx.graph().desc(node.outputs[i]) = sequence;
  }
}

void ConvertOptional(NodeContext& ctx) {
  Node& node = ctx.Keep();
  const TensorDesc type = ctx.HasInput(0) ? ctx.Desc(0) : ctx.TypeAttr("type");
  if (!ctx.HasInput(0) && type.dtype == DT_UNDEFINED) ctx.Fail("it has neither an input nor the attribute 'type'");
  TensorDesc desc(DT_VARIANT, {ctx.HasInput(0) ? 1 : 0});
  desc.optional = true;
  if (type.dtype != DT_UNDEFINED) desc.element = std::make_shared<const TensorDesc>(type);
  ctx.graph().desc(node.outputs[0]) = desc;
}

// Since opset 18 these take a sequence or tensor in place of an optional.
void ConvertOfOptional(NodeContext& ctx) {
  const TensorDesc given = ctx.Desc(0);
  Node& node = ctx.Keep();
  if (given.dtype != DT_UNDEFINED) node.attrs.Set("optional", static_cast<int64_t>(given.optional));
}

}  // namespace

void RegisterSequenceConverters(ConverterRegistry& registry) {
  registry.AddPass("ConcatFromSequence", 11, "ConcatFromSequence");
  registry.Add("Optional", 15, ConvertOptional);
  registry.Add("OptionalGetElement", 15, ConvertOfOptional);
  registry.Add("OptionalHasElement", 15, ConvertOfOptional);
  registry.AddPass("SequenceAt", 11, "SequenceAt");
  registry.AddPass("SequenceConstruct", 11, "SequenceConstruct");
  registry.AddPass("SequenceEmpty", 11, "SequenceEmpty");
  registry.AddPass("SequenceErase", 11, "SequenceErase");
  registry.AddPass("SequenceInsert", 11, "SequenceInsert");
  registry.AddPass("SequenceLength", 11, "SequenceLength");
  registry.Add("SequenceMap", 17, ConvertSequenceMap);
  registry.AddPass("SplitToSequence", 11, "SplitToSequence");
}

}  // namespace atc::onnx_parser
