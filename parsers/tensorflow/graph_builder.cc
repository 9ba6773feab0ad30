#include "parsers/tensorflow/graph_builder.h"

#include <fmt/format.h>

#include "parsers/tensorflow/custom_operator.h"
#include "parsers/tensorflow/unknown_operator.h"
#include "parsers/tensorflow/functionalize.h"
#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/leftovers.h"
#include "parsers/tensorflow/scope_fusion.h"

namespace atc::tf_parser {
namespace {

// Deeper calls are taken for functions that call themselves.
constexpr int kMaxFunctionDepth = 64;
// Functions that call others twice, level by level, make few bytes into more nodes than any machine holds.
constexpr size_t kMaxInlinedNodes = 500'000;

}  // namespace

const proto::FunctionDef* ModelState::FindFunction(const std::string& name) const {
  const auto it = functions.find(name);
  return it == functions.end() ? nullptr : it->second;
}

SourceGraph GraphBuilder::FunctionBody(const std::string& name,
                                       const std::map<std::string, const proto::AttrValue*>& attrs) {
  const proto::FunctionDef* function = model_.FindFunction(name);
  if (function == nullptr) {
    if (model_.functions.empty()) throw Error("E12029", {});
    throw Error("E12013", {{"functionname", name}},
                "Export the whole model: the functions that its graph calls belong to its library.");
  }
  model_.inlined_nodes += static_cast<size_t>(function->node_def_size());
  if (depth_ >= kMaxFunctionDepth || model_.inlined_nodes > kMaxInlinedNodes) {
    throw Error("E13014", {{"value", "a call of its own function"},
                           {"parameter", "A node"},
                           {"opname", name},
                           {"reason", "Functions of a model may not call themselves, directly or through others."}});
  }
  SourceGraph body = ReadFunction(*function, attrs, model_.functions);
  Functionalize(body);
  RemoveDropout(body, model_);
  FuseScopes(body, model_);
  return body;
}

ValueId GraphBuilder::Resolve(const Port& port) const {
  const auto it = values_.find(port);
  return it == values_.end() ? kNoId : it->second;
}

void GraphBuilder::Bind(const Port& port, ValueId value) { values_[port] = value; }

const TensorDesc& GraphBuilder::Desc(ValueId value) const {
  static const TensorDesc kUnknown;
  if (value == kNoId) return kUnknown;
  if (graph_.desc(value).dtype != DT_UNDEFINED) return graph_.desc(value);
  const TensorDesc* inferred = known_->Find(value);
  return inferred ? *inferred : kUnknown;
}

void GraphBuilder::BuildRoot(const std::vector<std::pair<uint32_t, TensorDesc>>& inputs,
                             const std::vector<Port>& outputs, const std::vector<std::string>& output_names) {
  int64_t index = 0;
  for (const auto& [number, desc] : inputs) {
    const std::string& name = source_.nodes[number].name;
    const ValueId value = graph_.AddData(name, index++, desc);
    graph_.producer(value).origin = graph_.origins().Leaf(name);
    Bind({number, 0}, value);
  }
  AddNodes(outputs);
  std::vector<ValueId> values;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const SourceNode& node = source_.nodes[outputs[i].node];
    ValueId value = Resolve(outputs[i]);
    if (value == kNoId) {
      throw Error("E10003", {{"value", output_names[i]},
                             {"parameter", "out_nodes"},
                             {"reason", fmt::format("The node '{}' ({}) has no output {} that can be computed.",
                                                    node.name, node.op, outputs[i].output)}});
    }
    // The om names an output after the node that makes it: one that stood for others keeps its name.
    if (graph_.producer(value).name != node.name || graph_.value(value).index != outputs[i].output) {
      const TensorDesc desc = Desc(value);
      const OriginId origin = graph_.producer(value).origin;
      Node& named = graph_.Add("Identity", node.name, {value}, 1);
      named.origin = graph_.origins().Union(origin, graph_.origins().Leaf(node.name));
      value = named.outputs[0];
      known_->Declare(value, desc);
    }
    values.push_back(value);
  }
  AddNetOutput(values, output_names);
}

void GraphBuilder::AddNetOutput(const std::vector<ValueId>& values, const std::vector<std::string>& names) {
  OriginId origin = kNoOrigin;
  for (const ValueId value : values) origin = graph_.origins().Union(origin, graph_.producer(value).origin);
  Node& output = graph_.Add("NetOutput", prefix_ + "Node_Output", values, 0);
  output.origin = origin;
  output.attrs.Set("output_names", names);
}

std::vector<ValueId> GraphBuilder::Inline(const SourceGraph& body, const std::string& name,
                                          const std::vector<ValueId>& arguments) {
  if (arguments.size() != body.arguments.size()) {
    throw Error("E13014", {{"value", fmt::format("with {} inputs", arguments.size())},
                           {"parameter", "A call"},
                           {"opname", name},
                           {"reason", fmt::format("The function '{}' takes {}.", body.name, body.arguments.size())}});
  }
  GraphBuilder builder(model_, graph_, body);
  builder.prefix_ = name + "/";
  builder.known_ = known_;
  builder.depth_ = depth_ + 1;
  for (size_t i = 0; i < arguments.size(); ++i) builder.Bind({body.arguments[i], 0}, arguments[i]);
  builder.AddNodes(body.results);
  std::vector<ValueId> results;
  for (const Port& result : body.results) results.push_back(builder.Resolve(result));
  return results;
}

std::vector<TensorDesc> GraphBuilder::BuildNested(Node& owner, Name name, const SourceGraph& body,
                                                  const std::vector<Argument>& arguments,
                                                  const std::vector<size_t>& only) {
  if (arguments.size() != body.arguments.size()) {
    throw Error("E13014", {{"value", fmt::format("with {} inputs", arguments.size())},
                           {"parameter", "The graph " + name.str()},
                           {"opname", owner.name},
                           {"reason", fmt::format("The function '{}' takes {}.", body.name, body.arguments.size())}});
  }
  Graph& graph = graph_.AddSubgraph(owner, name);
  GraphBuilder nested(model_, graph, body);
  nested.prefix_ = graph.name + "/";
  nested.depth_ = depth_ + 1;
  int64_t index = 0;
  // Formal inputs come first.
  for (const bool formal : {true, false}) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      if ((argument.outside == kNoId) != formal) continue;
      const std::string data_name = nested.prefix_ + body.nodes[body.arguments[i]].name;
      const OriginId origin = formal ? graph.origins().Leaf(data_name) : graph_.producer(argument.outside).origin;
      const Tensor* constant = formal ? nullptr : graph_.Constant(argument.outside);
      ValueId value = kNoId;
      if (constant != nullptr) {
        value = graph.AddConst(data_name, *constant, origin);
      } else {
        value = graph.AddData(data_name, index++, formal ? argument.desc : Desc(argument.outside));
        graph.producer(value).origin = origin;
      }
      nested.Bind({body.arguments[i], 0}, value);
      if (formal || constant != nullptr) continue;
      const auto [it, added] = captured_inputs_.emplace(std::pair{owner.id, argument.outside},
                                                        static_cast<int64_t>(owner.inputs.size()));
      if (added) graph_.AddInput(owner, argument.outside);
      graph.producer(value).attrs.Set("_parent_node_index", it->second);
    }
  }
  std::vector<Port> results;
  if (only.empty()) {
    results = body.results;
  } else {
    for (const size_t i : only) results.push_back(body.results[i]);
  }
  nested.AddNodes(results);
  std::vector<ValueId> values;
  std::vector<std::string> names;
  std::vector<TensorDesc> descs;
  for (const Port& result : results) {
    ValueId value = nested.Resolve(result);
    if (value == kNoId) {
      const SourceNode& node = body.nodes[result.node];
      throw Error("E12009", {{"opname", owner.name}, {"inputopname", fmt::format("{}:{}", node.name, result.output)}});
    }
    values.push_back(value);
    names.push_back(fmt::format("{}:{}", body.nodes[result.node].name, result.output));
    descs.push_back(nested.Desc(value));
  }
  nested.AddNetOutput(values, names);
  return descs;
}

void GraphBuilder::AddNodes(const std::vector<Port>& roots) {
  const std::vector<uint32_t> order = source_.OrderFor(roots);
  used_.insert(roots.begin(), roots.end());
  for (const uint32_t number : order) used_.insert(source_.nodes[number].inputs.begin(), source_.nodes[number].inputs.end());
  for (const uint32_t number : order) AddNode(number);
  // What only watches is on the way to no result.
  std::vector<bool> taken(source_.nodes.size(), false);
  for (const uint32_t number : order) taken[number] = true;
  for (size_t i = 0; i < source_.nodes.size(); ++i) {
    if (!taken[i] && IsWatcher(source_.nodes[i].op)) ++model_.removed[source_.nodes[i].op];
  }
}

void GraphBuilder::AddNode(uint32_t number) {
  const SourceNode& node = source_.nodes[number];
  if (node.op == kArgument || values_.contains({number, 0})) return;  // given from outside
  const std::string name = prefix_ + node.name;
  try {
    NodeContext context(*this, number, name);
    if (model_.functions.contains(node.op)) {
      const SourceGraph body = FunctionBody(node.op, context.Attrs());
      const std::vector<ValueId> results = Inline(body, name, context.Inputs());
      for (uint32_t i = 0; i < results.size(); ++i) Bind({number, i}, results[i]);
      return;
    }
    if (const Converter* converter = ConverterRegistry::Get().FindFor(context)) {
      (*converter)(context);
    } else {
      // parser.cc has looked for what is unsupported, and has gone on where that is asked for.
      const SourceMapping* mapping = FindCustomOperator(node.op);
      mapping != nullptr ? ConvertCustomOperator(context, *mapping) : ConvertUnknown(context);
    }
    known_->Learn(graph_);
  } catch (Error& error) {
    error.At(fmt::format("node '{}' ({})", name, node.op));
    throw;
  }
}

}  // namespace atc::tf_parser
