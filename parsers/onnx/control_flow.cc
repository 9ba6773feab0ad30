// If, Loop, Scan: nodes that own graphs. What is known of the graphs' results is known of the node's outputs, for the
// converters of what follows.
#include <onnx/onnx_pb.h>

#include "compiler/ops/nested.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

const onnx::GraphProto& RequiredGraph(NodeContext& ctx, const char* attr) {
  const onnx::GraphProto* graph = ctx.GraphAttr(attr);
  if (graph == nullptr) ctx.Fail(std::string("the attribute '") + attr + "' is missing; it should hold a graph");
  return *graph;
}

std::string Count(int64_t count, const char* what) { return std::to_string(count) + " " + what; }

void CheckOutputs(NodeContext& ctx, const onnx::GraphProto& graph, size_t given) {
  if (ctx.num_outputs() > given) {
    ctx.Fail("it has " + Count(static_cast<int64_t>(ctx.num_outputs()), "outputs") + "; its graph '" + graph.name() +
             "' gives it " + std::to_string(given));
  }
}

void Describe(NodeContext& ctx, const Node& node, size_t output, const TensorDesc& desc) {
  if (output < node.outputs.size()) ctx.graph().desc(node.outputs[output]) = desc;
}

// A shape that one run of a body has, another may not have.
TensorDesc AnyShape(TensorDesc desc) {
  if (desc.dtype != DT_UNDEFINED && desc.dtype != DT_VARIANT) desc.SetShape(Shape::UnknownRank());
  return desc;
}

void ConvertIf(NodeContext& ctx) {
  for (const char* attr : {"then_branch", "else_branch"}) {
    const onnx::GraphProto& branch = RequiredGraph(ctx, attr);
    if (branch.input_size() > 0) {
      ctx.Fail("its graph '" + branch.name() + "' has " + Count(branch.input_size(), "inputs") +
               "; a branch takes what it needs from the graph around it");
    }
    CheckOutputs(ctx, branch, static_cast<size_t>(branch.output_size()));
  }
  Node& node = ctx.Pass("If");
  const std::vector<TensorDesc> results = ctx.ConvertSubgraph(node, "then_branch");
  const std::vector<TensorDesc> others = ctx.ConvertSubgraph(node, "else_branch");
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    TensorDesc merged;
    if (MergeDescs(results[i], others[i], &merged)) Describe(ctx, node, i, merged);
  }
}

// The node with its inputs filled up to `count`, so that what is captured comes after them.
Node& KeepWithInputs(NodeContext& ctx, std::vector<ValueId> inputs, size_t count) {
  Node& node = ctx.Emit("onnx::" + ctx.op_type(), std::move(inputs), ctx.num_outputs());
  while (node.inputs.size() < count) ctx.graph().AddInput(node, kNoId);
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOutput(i, node.outputs[i]);
  ctx.CopyAttrs(node);
  node.attrs.Set("opset", static_cast<int64_t>(ctx.opset()));
  return node;
}

void ConvertLoop(NodeContext& ctx) {
  constexpr size_t kBefore = 2;
  const onnx::GraphProto& body = RequiredGraph(ctx, "body");
  const size_t carried = std::max(ctx.num_inputs(), kBefore) - kBefore;
  if (static_cast<size_t>(body.input_size()) != kBefore + carried ||
      static_cast<size_t>(body.output_size()) < 1 + carried) {
    ctx.Fail("its body has " + Count(body.input_size(), "inputs") + " and " + Count(body.output_size(), "outputs") +
             "; with " + Count(static_cast<int64_t>(carried), "carried values") + " it should have " +
             std::to_string(kBefore + carried) + " and " + std::to_string(1 + carried) + " or more");
  }
  CheckOutputs(ctx, body, static_cast<size_t>(body.output_size()) - 1);
  std::vector<ValueId> inputs;
  std::vector<TensorDesc> formals = {TensorDesc(DT_INT64, {}), TensorDesc(DT_BOOL, {})};
  for (size_t i = 0; i < kBefore + carried; ++i) {
    inputs.push_back(ctx.In(i));
    if (i < kBefore) continue;
    const TensorDesc given = ctx.Desc(i);
    if (given.dtype != DT_UNDEFINED && !given.optional && body.input(static_cast<int>(i)).type().has_optional_type()) {
      inputs.back() = ctx.Emit("onnx::Optional", {inputs.back()}, 1, "optional_" + std::to_string(i)).outputs[0];
      formals.push_back(AsOptional(given));
    } else {
      formals.push_back(AnyShape(given));
    }
  }
  Node& node = KeepWithInputs(ctx, std::move(inputs), kBefore + carried);
  const std::vector<TensorDesc> results = ctx.ConvertSubgraph(node, "body", formals);
  for (size_t i = 1; i < results.size(); ++i) {
    TensorDesc desc = AnyShape(results[i]);
    if (i <= carried) MergeDescs(desc, formals[kBefore + i - 1], &desc);
    Describe(ctx, node, i - 1, results[i].optional == desc.optional ? desc : results[i]);
  }
}

void ConvertScan(NodeContext& ctx) {
  const onnx::GraphProto& body = RequiredGraph(ctx, "body");
  const bool batched = ctx.opset() < 9;
  const int64_t scanned = ctx.Int("num_scan_inputs", 0);
  const auto formals = static_cast<int64_t>(body.input_size());
  const auto given = static_cast<int64_t>(ctx.num_inputs()) - (batched ? 1 : 0);
  if (scanned < 1 || scanned > formals || given != formals || body.output_size() < formals - scanned) {
    ctx.Fail("its body has " + Count(formals, "inputs") + " and " + Count(body.output_size(), "outputs") +
             "; the node has " + Count(given, "inputs") + ", " + Count(scanned, "of which are scanned"));
  }
  CheckOutputs(ctx, body, static_cast<size_t>(body.output_size()));
  std::vector<ValueId> inputs = ctx.Inputs();
  if (!batched) inputs.insert(inputs.begin(), kNoId);  // sequence_lens
  std::vector<TensorDesc> descs;
  for (int64_t i = 0; i < formals; ++i) descs.push_back(AnyShape(ctx.Desc(static_cast<size_t>(i + (batched ? 1 : 0)))));
  Node& node = KeepWithInputs(ctx, std::move(inputs), 1 + static_cast<size_t>(formals));
  const std::vector<TensorDesc> results = ctx.ConvertSubgraph(node, "body", descs);
  for (size_t i = 0; i < results.size(); ++i) Describe(ctx, node, i, AnyShape(results[i]));
}

}  // namespace

void RegisterControlFlowConverters(ConverterRegistry& registry) {
  registry.Add("If", 1, ConvertIf);
  registry.Add("Loop", 1, ConvertLoop);
  registry.Add("Scan", 8, ConvertScan);
}

}  // namespace atc::onnx_parser
