// While, If, Case and function calls.
#include "compiler/ops/nested.h"
#include "parsers/tensorflow/families.h"
#include "parsers/tensorflow/graph_builder.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {
namespace {

using Argument = GraphBuilder::Argument;

// The body that a rewrite made, else the function that the attribute names.
SourceGraph Body(NodeContext& ctx, size_t made, const char* attr) {
  if (made < ctx.node().bodies.size()) return *ctx.node().bodies[made];
  const std::string name = ctx.Function(attr);
  if (name.empty()) ctx.Fail(std::string("the attribute ") + attr + " names no function");
  return ctx.builder().FunctionBody(name, ctx.FunctionAttrs(attr));
}

// The argument that a result hands on unchanged; -1 when it is computed.
int64_t HandedOn(const SourceGraph& body, size_t result) {
  if (result >= body.results.size()) return -1;
  Port port = body.results[result];
  while (body.nodes[port.node].op == "Identity") port = body.nodes[port.node].inputs[0];
  return body.nodes[port.node].op == kArgument ? body.nodes[port.node].number : -1;
}

// What a value may be on any round: its rank stays, as TensorFlow has it where nothing else is said.
TensorDesc AnyRound(const TensorDesc& first) {
  TensorDesc desc = first;
  if (first.dtype == DT_UNDEFINED || first.dtype == DT_VARIANT || !first.origin_shape.HasRank()) return desc;
  desc.SetShape(Shape::UnknownDims(first.origin_shape.rank()));
  return desc;
}

void DeclareEither(NodeContext& ctx, ValueId value, const TensorDesc& a, const TensorDesc& b) {
  TensorDesc merged;
  if (MergeDescs(a, b, &merged)) ctx.builder().Declare(value, merged);
}

void ConvertWhile(NodeContext& ctx) {
  const SourceGraph condition = Body(ctx, 0, "cond");
  const SourceGraph body = Body(ctx, 1, "body");
  if (body.results.size() != ctx.num_inputs() || condition.results.size() != 1) {
    ctx.Fail("it carries " + std::to_string(ctx.num_inputs()) + " values; its body gives " +
             std::to_string(body.results.size()) + " and its condition " + std::to_string(condition.results.size()));
  }
  std::vector<Argument> arguments;
  std::vector<ValueId> carried;
  std::vector<size_t> carried_numbers;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (HandedOn(body, i) == static_cast<int64_t>(i)) {
      arguments.push_back({ctx.In(i), {}});
      ctx.SetOutput(i, ctx.In(i));
    } else {
      arguments.push_back({kNoId, AnyRound(ctx.Desc(i))});
      carried.push_back(ctx.In(i));
      carried_numbers.push_back(i);
    }
  }
  if (carried.empty()) ctx.Fail("nothing changes from round to round, so that it would never end");
  Node& node = ctx.Emit("While", carried, carried.size());
  node.attrs.Set("parallel_iterations", ctx.Int("parallel_iterations", 10));
  ctx.builder().BuildNested(node, "cond", condition, arguments, {});
  const std::vector<TensorDesc> results = ctx.builder().BuildNested(node, "body", body, arguments, carried_numbers);
  for (size_t k = 0; k < carried.size(); ++k) {
    ctx.SetOutput(carried_numbers[k], node.outputs[k]);
    DeclareEither(ctx, node.outputs[k], AnyRound(ctx.Desc(carried_numbers[k])), results[k]);
  }
}

std::vector<Argument> Operands(const NodeContext& ctx) {
  std::vector<Argument> operands;
  for (size_t i = 1; i < ctx.num_inputs(); ++i) operands.push_back({ctx.In(i), {}});
  return operands;
}

void ConvertIf(NodeContext& ctx) {
  const SourceGraph one = Body(ctx, 0, "then_branch");
  const SourceGraph other = Body(ctx, 1, "else_branch");
  if (one.results.size() != other.results.size()) {
    ctx.Fail("then_branch gives " + std::to_string(one.results.size()) + " results, else_branch " +
             std::to_string(other.results.size()));
  }
  Node& node = ctx.Emit("If", {ctx.In(0)}, one.results.size());
  const auto then_descs = ctx.builder().BuildNested(node, "then_branch", one, Operands(ctx), {});
  const auto else_descs = ctx.builder().BuildNested(node, "else_branch", other, Operands(ctx), {});
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    ctx.SetOutput(i, node.outputs[i]);
    DeclareEither(ctx, node.outputs[i], then_descs[i], else_descs[i]);
  }
}

std::vector<SourceGraph> Branches(NodeContext& ctx) {
  std::vector<SourceGraph> bodies;
  for (const auto& made : ctx.node().bodies) bodies.push_back(*made);
  if (!bodies.empty()) return bodies;
  const auto attrs = ctx.Attrs();
  const auto branches = attrs.find("branches");
  if (branches == attrs.end() || branches->second->list().func_size() == 0) ctx.Fail("it has no branches");
  for (const proto::NameAttrList& function : branches->second->list().func()) {
    std::map<std::string, const proto::AttrValue*> of_call;
    for (const auto& [name, value] : function.attr()) of_call.emplace(name, &value);
    bodies.push_back(ctx.builder().FunctionBody(function.name(), of_call));
  }
  return bodies;
}

void ConvertCase(NodeContext& ctx) {
  const std::vector<SourceGraph> bodies = Branches(ctx);
  for (const SourceGraph& body : bodies) {
    if (body.results.size() != bodies[0].results.size()) ctx.Fail("its branches differ in their results");
  }
  Node& node = ctx.Emit("Case", {ctx.In(0)}, bodies[0].results.size());
  std::vector<TensorDesc> descs;
  for (size_t b = 0; b < bodies.size(); ++b) {
    const auto results = ctx.builder().BuildNested(node, "branches" + std::to_string(b), bodies[b], Operands(ctx), {});
    for (size_t i = 0; i < results.size(); ++i) {
      if (b == 0) {
        descs.push_back(results[i]);
      } else {
        MergeDescs(descs[i], results[i], &descs[i]);
      }
    }
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    ctx.SetOutput(i, node.outputs[i]);
    ctx.builder().Declare(node.outputs[i], descs[i]);
  }
}

void ConvertCall(NodeContext& ctx) {
  const SourceGraph body = Body(ctx, ctx.node().bodies.size(), "f");
  const std::vector<ValueId> results = ctx.builder().Inline(body, ctx.name(), ctx.Inputs());
  for (size_t i = 0; i < results.size(); ++i) ctx.SetOutput(i, results[i]);
}

}  // namespace

void RegisterControlFlowConverters(ConverterRegistry& registry) {
  registry.Add("Case", ConvertCase);
  registry.Add("StatelessCase", ConvertCase);
  registry.Add("If", ConvertIf);
  registry.Add("StatelessIf", ConvertIf);
  registry.Add("PartitionedCall", ConvertCall);
  registry.Add("StatefulPartitionedCall", ConvertCall);
  registry.Add("While", ConvertWhile);
  registry.Add("StatelessWhile", ConvertWhile);
}

}  // namespace atc::tf_parser
