// Gradient of domain ai.onnx.preview.training: the derivative of a tensor of the graph with respect to others, as nodes
// of the same graph (reverse accumulation). What lies between them is an ordinary part of the graph; where the operator
// is given other values for these tensors than the graph's own, that part is repeated for them.
#include <map>
#include <set>

#include "compiler/ops/scalar.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

class Backward;
// Derivatives with respect to the inputs of `node`, kNoId for those that have none, given the one of its output.
using Rule = std::vector<ValueId> (*)(Backward& to, const Node& node, ValueId dy);

class Backward {
 public:
  explicit Backward(NodeContext& ctx) : ctx_(ctx) {}

  ValueId Op(Name type, std::vector<ValueId> inputs) {
    return ctx_.Emit(type, std::move(inputs), 1, "grad_" + std::to_string(number_++)).outputs[0];
  }
  // dy reduced to the shape of an operand that was broadcast.
  ValueId Like(ValueId dy, ValueId operand) { return Op("SumToLike", {dy, operand}); }
  ValueId Mul(ValueId a, ValueId b) { return Op("Mul", {a, b}); }
  ValueId Neg(ValueId a) { return Op("Neg", {a}); }
  // a * b, with the last two axes of either exchanged.
  ValueId Product(ValueId a, bool transpose_a, ValueId b, bool transpose_b) {
    Node& node = ctx_.Emit("BatchMatMulV2", {a, b}, 1, "grad_" + std::to_string(number_++));
    node.attrs.Set("adj_x1", transpose_a);
    node.attrs.Set("adj_x2", transpose_b);
    return node.outputs[0];
  }
  // A tensor of the shape of `like` that is `number` all over.
  ValueId Filled(ValueId like, DataType dtype, double number) {
    Node& shape = ctx_.Emit("Shape", {like}, 1, "grad_shape_" + std::to_string(number_));
    shape.attrs.Set("dtype", static_cast<int64_t>(DT_INT64));
    const ValueId dims = shape.outputs[0];
    const ValueId value = ctx_.Const(ScalarOf(dtype, number), "grad_value_" + std::to_string(number_));
    return Op("Fill", {dims, value});
  }

 private:
  NodeContext& ctx_;
  int number_ = 0;
};

using Ids = std::vector<ValueId>;

const std::map<Name, Rule>& Rules() {
  static const std::map<Name, Rule> rules = {
      {"Abs",
       [](Backward& to, const Node& n, ValueId dy) -> Ids { return {to.Mul(dy, to.Op("Sign", {n.inputs[0]}))}; }},
      {"Add",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         return {to.Like(dy, n.inputs[0]), to.Like(dy, n.inputs[1])};
       }},
      {"BatchMatMulV2",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         const ValueId a = n.inputs[0], b = n.inputs[1];
         return {to.Like(to.Product(dy, false, b, true), a), to.Like(to.Product(a, true, dy, false), b)};
       }},
      {"Cos",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         return {to.Neg(to.Mul(dy, to.Op("Sin", {n.inputs[0]})))};
       }},
      {"Exp", [](Backward& to, const Node& n, ValueId dy) -> Ids { return {to.Mul(dy, n.outputs[0])}; }},
      {"Identity", [](Backward&, const Node&, ValueId dy) -> Ids { return {dy}; }},
      {"Log", [](Backward& to, const Node& n, ValueId dy) -> Ids { return {to.Op("RealDiv", {dy, n.inputs[0]})}; }},
      {"Mul",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         const ValueId a = n.inputs[0], b = n.inputs[1];
         return {to.Like(to.Mul(dy, b), a), to.Like(to.Mul(dy, a), b)};
       }},
      {"Neg", [](Backward& to, const Node&, ValueId dy) -> Ids { return {to.Neg(dy)}; }},
      {"RealDiv",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         const ValueId a = n.inputs[0], b = n.inputs[1], da = to.Op("RealDiv", {dy, b});
         return {to.Like(da, a), to.Like(to.Neg(to.Mul(da, n.outputs[0])), b)};
       }},
      {"Reciprocal",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         return {to.Neg(to.Mul(dy, to.Mul(n.outputs[0], n.outputs[0])))};
       }},
      {"Relu",
       [](Backward& to, const Node& n, ValueId dy) -> Ids { return {to.Mul(dy, to.Op("Sign", {n.outputs[0]}))}; }},
      {"Sigmoid",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         const ValueId y = n.outputs[0];
         return {to.Mul(dy, to.Op("Sub", {y, to.Mul(y, y)}))};
       }},
      {"Sin", [](Backward& to, const Node& n, ValueId dy) -> Ids { return {to.Mul(dy, to.Op("Cos", {n.inputs[0]}))}; }},
      {"Sqrt",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         return {to.Op("RealDiv", {dy, to.Op("Add", {n.outputs[0], n.outputs[0]})})};
       }},
      {"Sub",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         return {to.Like(dy, n.inputs[0]), to.Like(to.Neg(dy), n.inputs[1])};
       }},
      {"Tanh",
       [](Backward& to, const Node& n, ValueId dy) -> Ids {
         const ValueId y = n.outputs[0];
         return {to.Op("Sub", {dy, to.Mul(dy, to.Mul(y, y))})};
       }},
  };
  return rules;
}

// Nodes that y depends on and that depend on one of `from`, in the order in which they were made.
std::vector<NodeId> Between(Graph& graph, const std::set<ValueId>& from, ValueId y) {
  std::set<NodeId> before;
  std::vector<ValueId> left{y};
  while (!left.empty()) {
    const ValueId value = left.back();
    left.pop_back();
    if (value == kNoId || from.contains(value)) continue;
    const Node& node = graph.producer(value);
    if (!before.insert(node.id).second) continue;
    left.insert(left.end(), node.inputs.begin(), node.inputs.end());
  }
  std::set<ValueId> reached = from;
  std::vector<NodeId> between;
  for (const NodeId id : before) {
    const Node& node = graph.node(id);
    if (std::none_of(node.inputs.begin(), node.inputs.end(), [&](ValueId in) { return reached.contains(in); }))
      continue;
    reached.insert(node.outputs.begin(), node.outputs.end());
    between.push_back(id);
  }
  return between;
}

// The nodes again with `replaced` in place of what they use; adds what they give to it.
std::vector<NodeId> Repeat(NodeContext& ctx, const std::vector<NodeId>& nodes, std::map<ValueId, ValueId>* replaced) {
  std::vector<NodeId> copies;
  for (const NodeId id : nodes) {
    std::vector<ValueId> inputs = ctx.graph().node(id).inputs;
    for (ValueId& input : inputs) {
      if (const auto it = replaced->find(input); it != replaced->end()) input = it->second;
    }
    const Node& node = ctx.graph().node(id);
    if (!node.subgraphs.empty()) ctx.Fail("the derivative of " + node.type().str() + " is not known");
    Node& copy = ctx.Emit(node.type(), inputs, node.outputs.size(), "at_" + std::to_string(id));
    copy.attrs = node.attrs;
    for (size_t i = 0; i < node.outputs.size(); ++i) (*replaced)[node.outputs[i]] = copy.outputs[i];
    copies.push_back(copy.id);
  }
  return copies;
}

ValueId Named(const NodeContext& ctx, const std::string& tensor) {
  const ValueId value = ctx.Named(tensor);
  if (value == kNoId) ctx.Fail("nothing before it gives the tensor '" + tensor + "' that xs, zs or y names");
  return value;
}

void ConvertGradient(NodeContext& ctx) {
  const std::vector<std::string> xs = ctx.Strings("xs"), zs = ctx.Strings("zs");
  if (xs.empty() || ctx.num_inputs() != xs.size() + zs.size() || ctx.num_outputs() > xs.size()) {
    ctx.Fail("it has " + std::to_string(ctx.num_inputs()) + " inputs and " + std::to_string(ctx.num_outputs()) +
             " outputs; wanted are an input for each name of xs and zs and at most an output for each of xs");
  }
  const DataType dtype = ctx.Desc(0).dtype;
  if (!IsFloating(dtype)) ctx.Fail("its input 0 is " + std::string(DataTypeName(dtype)) + "; a float type is wanted");
  std::set<ValueId> sources;
  std::map<ValueId, ValueId> replaced;
  for (size_t i = 0; i < xs.size() + zs.size(); ++i) {
    const ValueId value = Named(ctx, i < xs.size() ? xs[i] : zs[i - xs.size()]);
    sources.insert(value);
    if (ctx.In(i) != value) replaced[value] = ctx.In(i);
  }
  ValueId y = Named(ctx, ctx.String("y", ""));
  std::vector<NodeId> nodes = Between(ctx.graph(), sources, y);
  if (!replaced.empty()) {
    nodes = Repeat(ctx, nodes, &replaced);
    if (const auto it = replaced.find(y); it != replaced.end()) y = it->second;
  }

  Backward to(ctx);
  std::map<ValueId, ValueId> gradient{{y, to.Filled(y, dtype, 1)}};
  for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
    const Node& node = ctx.graph().node(*id);
    const auto dy = gradient.find(node.outputs[0]);
    if (dy == gradient.end()) continue;
    const auto rule = Rules().find(node.type());
    if (rule == Rules().end()) ctx.Fail("the derivative of " + node.type().str() + " is not known");
    const Ids parts = rule->second(to, node, dy->second);
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto [sum, first] = gradient.emplace(node.inputs[i], parts[i]);
      if (!first) sum->second = to.Op("Add", {sum->second, parts[i]});
    }
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!ctx.WantsOutput(i)) continue;
    const auto found = gradient.find(ctx.In(i));
    ctx.SetOutput(i, found != gradient.end() ? found->second : to.Filled(ctx.In(i), dtype, 0));
  }
}

}  // namespace

void RegisterGradientConverters(ConverterRegistry& registry) {
  registry.Add("Gradient", 1, ConvertGradient, "ai.onnx.preview.training");
}

}  // namespace atc::onnx_parser
