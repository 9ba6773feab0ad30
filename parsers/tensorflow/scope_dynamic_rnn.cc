// ScopeDynamicRNNPass, ScopeDynamicLSTMPass: the loop of tf.nn.dynamic_rnn around a BasicLSTMCell becomes DynamicRNN. It
// reads the steps of its input from one tensor array and writes those of its output into another; sequences are all as
// long as the input.
#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/scope_fusion.h"
#include "parsers/tensorflow/scope_match.h"

namespace atc::tf_parser {
namespace {

// Numbers of the loop's values.
struct Cell {
  size_t time = 0, cell = 0, hidden = 0, output = 0;
  size_t input_array = 0, input_flow = 0, kernel = 0, bias = 0;
  double forget_bias = 0;
};

class Loop {
 public:
  Loop(SourceGraph& body, const ModelState& model) : body_(body), match_(body, model) {}

  std::optional<Cell> Match() const {
    for (size_t hidden = 0; hidden < body_.results.size(); ++hidden) {
      if (const auto cell = MatchHidden(hidden)) return cell;
    }
    return std::nullopt;
  }

 private:
  Port Result(size_t i) const { return match_.Through(body_.results[i]); }

  std::optional<size_t> Argument(Port port) const {
    const SourceNode& node = body_.nodes[match_.Through(port).node];
    if (node.op != kArgument) return std::nullopt;
    return static_cast<size_t>(node.number);
  }

  // Part `part` of the split of the gates, through a function.
  bool IsGate(Port port, const char* function, const SourceNode* split, uint32_t part) const {
    const SourceNode* node = match_.Is(port, {function});
    return node != nullptr && IsPart(match_.In(*node, 0), split, part);
  }
  bool IsPart(Port port, const SourceNode* split, uint32_t part) const {
    return &body_.nodes[port.node] == split && port.output == part;
  }

  // h' = tanh(c') * sigmoid(o), c' = c * sigmoid(f + bias) + sigmoid(i) * tanh(j).
  std::optional<Cell> MatchHidden(size_t hidden) const {
    Cell cell;
    cell.hidden = hidden;
    const SourceNode* product = match_.Is(Result(hidden), {"Mul"}, 2);
    if (product == nullptr) return std::nullopt;
    const auto parts = match_.Operands(*product, [&](Port p) { return match_.Is(p, {"Tanh"}) != nullptr; });
    const SourceNode* open = parts ? match_.Is(parts->second, {"Sigmoid"}) : nullptr;
    if (open == nullptr) return std::nullopt;
    const SourceNode* split = &body_.nodes[match_.In(*open, 0).node];
    if (split->op != "Split" || match_.In(*open, 0).output != 3 || split->inputs.size() != 2) return std::nullopt;
    const Port state = match_.In(*match_.Is(parts->first, {"Tanh"}), 0);
    if (!MatchState(state, split, &cell) || !MatchGates(*split, &cell)) return std::nullopt;
    return MatchSteps(&cell) ? std::optional(cell) : std::nullopt;
  }

  bool MatchState(Port state, const SourceNode* split, Cell* cell) const {
    for (size_t i = 0; i < body_.results.size(); ++i) {
      if (Result(i) == state) cell->cell = i;
    }
    const SourceNode* sum = match_.Is(state, {"Add", "AddV2"}, 2);
    if (Result(cell->cell) != state || sum == nullptr) return false;
    for (const size_t kept_side : {0, 1}) {
      const SourceNode* kept = match_.Is(match_.In(*sum, kept_side), {"Mul"}, 2);
      const SourceNode* added = match_.Is(match_.In(*sum, 1 - kept_side), {"Mul"}, 2);
      if (kept == nullptr || added == nullptr) continue;
      const auto old = match_.Operands(*kept, [&](Port p) { return Argument(p) == cell->cell; });
      const SourceNode* forget = old ? match_.Is(old->second, {"Sigmoid"}) : nullptr;
      if (forget == nullptr) continue;
      const Port biased = match_.In(*forget, 0);
      if (!IsPart(biased, split, 2)) {
        const SourceNode* bias = match_.Is(biased, {"Add", "AddV2"}, 2);
        const auto terms = bias ? match_.Operands(*bias, [&](Port p) { return IsPart(p, split, 2); }) : std::nullopt;
        const auto value = terms ? match_.Scalar(terms->second) : std::nullopt;
        if (!value) continue;
        cell->forget_bias = *value;
      }
      const auto in = match_.Operands(*added, [&](Port p) { return IsGate(p, "Sigmoid", split, 0); });
      if (in && IsGate(in->second, "Tanh", split, 1)) return true;
    }
    return false;
  }

  // split(concat(x, h) * kernel + bias, 4) along axis 1.
  bool MatchGates(const SourceNode& split, Cell* cell) const {
    const auto axis = match_.Ints(match_.In(split, 0));
    const SourceNode* sum = match_.Is(match_.In(split, 1), {"BiasAdd", "Add", "AddV2"}, 2);
    if (!axis || *axis != std::vector<int64_t>{1} || sum == nullptr) return false;
    const SourceNode* product = match_.Is(match_.In(*sum, 0), {"MatMul"}, 2);
    const auto bias = Argument(match_.In(*sum, 1));
    if (product == nullptr || !bias) return false;
    for (const char* flag : {"transpose_a", "transpose_b"}) {
      const auto it = product->def->attr().find(flag);
      if (it != product->def->attr().end() && it->second.b()) return false;
    }
    const auto kernel = Argument(match_.In(*product, 1));
    const SourceNode* joined = match_.Is(match_.In(*product, 0), {"ConcatV2"}, 3);
    if (!kernel || joined == nullptr || joined->inputs.size() != 3) return false;
    const auto along = match_.Ints(match_.In(*joined, 2));
    if (!along || *along != std::vector<int64_t>{1} || Argument(match_.In(*joined, 1)) != cell->hidden) return false;
    const SourceNode* read = match_.Is(match_.In(*joined, 0), {"TensorArrayReadV3"}, 3);
    if (read == nullptr) return false;
    const auto array = Argument(match_.In(*read, 0)), time = Argument(match_.In(*read, 1)),
               flow = Argument(match_.In(*read, 2));
    if (!array || !time || !flow) return false;
    cell->kernel = *kernel;
    cell->bias = *bias;
    cell->input_array = *array;
    cell->input_flow = *flow;
    cell->time = *time;
    return true;
  }

  // The output is written at the same step, and the next step is one further.
  bool MatchSteps(Cell* cell) const {
    const SourceNode* next = match_.Is(Result(cell->time), {"Add", "AddV2"}, 2);
    const auto terms = next ? match_.Operands(*next, [&](Port p) { return Argument(p) == cell->time; }) : std::nullopt;
    if (!terms || match_.Scalar(terms->second) != 1.0) return false;
    for (size_t i = 0; i < body_.results.size(); ++i) {
      const SourceNode* write = match_.Is(Result(i), {"TensorArrayWriteV3"}, 4);
      if (write == nullptr) continue;
      if (Argument(match_.In(*write, 1)) != cell->time || match_.In(*write, 2) != Result(cell->hidden)) return false;
      if (Argument(match_.In(*write, 3)) != i) return false;
      cell->output = i;
      return true;
    }
    return false;
  }

  SourceGraph& body_;
  ScopeMatch match_;
};

// Whether the port is the number of steps: `steps` itself, or min(steps, max(1, steps)).
bool IsSteps(const ScopeMatch& match, Port port, Port steps) {
  if (match.Through(port) == steps) return true;
  const SourceNode* least = match.Is(match.Through(port), {"Minimum"}, 2);
  const auto parts = least ? match.Operands(*least, [&](Port p) { return p == steps; }) : std::nullopt;
  if (!parts) return false;
  const SourceNode* most = match.Is(parts->second, {"Maximum"}, 2);
  return parts->second == steps || (most && match.Operands(*most, [&](Port p) { return p == steps; }).has_value());
}

// Whether the loop runs over all elements of the array that it reads: time begins at 0 and ends at the array's size.
bool RunsOverAll(const ScopeMatch& match, const SourceNode& loop, const Cell& cell) {
  const SourceNode* array = match.Is(match.Through(loop.inputs[cell.input_array]), {"TensorArrayV3"});
  if (array == nullptr || match.Scalar(loop.inputs[cell.time]) != 0.0) return false;
  const Port steps = match.In(*array, 0);
  const SourceGraph& test = *loop.bodies[0];
  bool bounded = false;
  for (const SourceNode& node : test.nodes) {
    if (node.op == kArgument || node.op == "LogicalAnd" || node.op == "Identity" || node.op == "Const") continue;
    if (node.op != "Less" || node.inputs.size() != 2) return false;
    const SourceNode& limit = test.nodes[node.inputs[1].node];
    if (limit.op != kArgument || static_cast<size_t>(limit.number) >= loop.inputs.size()) return false;
    if (!IsSteps(match, loop.inputs[static_cast<size_t>(limit.number)], steps)) return false;
    const SourceNode& counter = test.nodes[node.inputs[0].node];
    bounded |= counter.op == kArgument && static_cast<size_t>(counter.number) == cell.time;
  }
  return bounded;
}

void Fuse(ScopeMatch& match, const ModelState& model, uint32_t number) {
  SourceGraph& graph = match.graph();
  const SourceNode loop = graph.nodes[number];
  const auto cell = Loop(*loop.bodies[1], model).Match();
  if (!cell) return;
  for (const size_t i : {cell->input_array, cell->input_flow, cell->time, cell->kernel, cell->bias, cell->hidden, cell->cell, cell->output}) {
    if (i >= loop.inputs.size()) return;
  }
  // The array that the steps are read from holds x.
  const SourceNode* filled = match.Is(match.Through(loop.inputs[cell->input_flow]), {"TensorArrayScatterV3"}, 4);
  if (filled == nullptr) return;
  const Port x = match.In(*filled, 2);
  if (!RunsOverAll(match, loop, *cell)) return;

  auto def = ScopeMatch::Def("_DynamicRnn");
  (*def->mutable_attr())["forget_bias"].set_f(static_cast<float>(cell->forget_bias));
  SourceNode node;
  node.name = std::string(ScopeMatch::Scope(loop.name)) + "/DynamicRNN";
  node.op = def->op();
  node.made = def;
  node.def = def.get();
  node.inputs = {x, loop.inputs[cell->kernel], loop.inputs[cell->bias], loop.inputs[cell->hidden], loop.inputs[cell->cell]};
  const auto made = static_cast<uint32_t>(graph.nodes.size());
  graph.nodes.push_back(std::move(node));
  // Outputs: all steps of h, the last h, the last c.
  for (uint32_t i = 0; i < made; ++i) {
    const SourceNode& gather = graph.nodes[i];
    if (gather.op == "TensorArrayGatherV3" && gather.inputs.size() == 3 &&
        match.Through(gather.inputs[2]) == Port{number, static_cast<uint32_t>(cell->output)}) {
      match.Redirect({i, 0}, {made, 0});
    }
  }
  match.Redirect({number, static_cast<uint32_t>(cell->hidden)}, {made, 1});
  match.Redirect({number, static_cast<uint32_t>(cell->cell)}, {made, 2});
}

}  // namespace

void FuseDynamicRnn(SourceGraph& graph, const ModelState& model) {
  ScopeMatch match(graph, model);
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  for (uint32_t i = 0; i < count; ++i) {
    if (graph.nodes[i].op == "While" && graph.nodes[i].bodies.size() == 2) Fuse(match, model, i);
  }
}

}  // namespace atc::tf_parser
