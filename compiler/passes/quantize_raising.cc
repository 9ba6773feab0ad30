#include "compiler/passes/quantize_raising.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/quantized_product.h"

namespace atc {
namespace {

// Operators whose result holds elements of their data inputs and nothing else. Those that compare elements also want a
// scale above zero, which keeps their order.
struct Mover {
  const char* type;
  bool all_inputs;  // every input is data; else the first alone
  bool compares;
};

constexpr Mover kMovers[] = {
    {"ConcatD", true, false},          {"DepthToSpace", false, false},      {"GatherElements", false, false},
    {"GatherNd", false, false},        {"GatherV2", false, false},          {"MaxPool3D", false, true},
    {"MaxPoolV3", false, true},        {"ReverseSequence", false, false},   {"SpaceToDepth", false, false},
    {"StridedSliceV2", false, false},  {"Tile", false, false},              {"Transpose", false, false},
    {"TransposeD", false, false},      {"onnx::GatherElements", false, false}, {"onnx::GatherND", false, false},
    {"onnx::GlobalMaxPool", false, true}, {"onnx::MaxPool", false, true},   {"onnx::Tile", false, false},
    {"onnx::Transpose", false, false},
};

constexpr Mover kReshape = {"", false, false};

const Mover* FindMover(const Node& node) {
  if (node.Is(kShapeOnly)) return &kReshape;
  for (const Mover& mover : kMovers) {
    if (node.type() == mover.type) return &mover;
  }
  return nullptr;
}

bool PositiveScale(const Graph& graph, const Node& quantize) {
  const Tensor* scale = graph.ConstantInput(quantize, 1);
  return scale != nullptr && !scale->deferred() && std::isnormal(*scale->Data<float>()) && *scale->Data<float>() > 0;
}

bool Raise(Graph& graph, PassContext& context, Node& quantize) {
  Node& move = graph.producer(quantize.inputs[0]);
  const Mover* mover = FindMover(move);
  if (mover == nullptr || move.fused || !move.control_in.empty() || !move.control_out.empty()) return false;
  if (move.outputs.size() != 1 || move.inputs.empty() || graph.value(move.outputs[0]).uses.size() != 1) return false;
  if (mover->compares && !PositiveScale(graph, quantize)) return false;
  if (StreamLabelOf(move) != StreamLabelOf(quantize) || HasUserDtype(move) || HasUserDtype(quantize)) return false;
  const size_t data = mover->all_inputs ? move.inputs.size() : 1;
  for (size_t i = 0; i < data; ++i) {
    if (move.inputs[i] == kNoId || graph.desc(move.inputs[i]).dtype != DT_FLOAT) return false;
  }
  if (!context.journal.Allow("QuantizeLinear before " + move.type().str(), {&move, &quantize})) return false;
  const DataType dtype = graph.desc(quantize.outputs[0]).dtype;
  const OpDef& def = *quantize.def;
  for (uint32_t i = 0; i < data; ++i) {
    std::vector<ValueId> inputs = quantize.inputs;
    inputs[0] = move.inputs[i];
    Node& raised = graph.Add(def, data == 1 ? "" : quantize.name + "_" + std::to_string(i), inputs, 1);
    raised.attrs = quantize.attrs;
    raised.origin = quantize.origin;
    CopyStreamLabels(quantize, raised);
    TensorDesc desc = graph.desc(move.inputs[i]);
    desc.dtype = dtype;
    graph.desc(raised.outputs[0]) = std::move(desc);
    graph.SetInput(move, i, raised.outputs[0]);
    raised.Because("fusion", "RaiseQuantizePass: before " + move.name);
    context.journal.Made(raised);
  }
  graph.desc(move.outputs[0]).dtype = dtype;
  graph.ReplaceUses(quantize.outputs[0], move.outputs[0]);
  graph.Remove(quantize.id);
  return true;
}

// The same value, or constants of the same bytes. Absent ones are alike.
bool SameParameter(const Graph& graph, const Node& a, const Node& b, uint32_t input) {
  const auto at = [&](const Node& node) { return node.inputs.size() > input ? node.inputs[input] : kNoId; };
  if (at(a) == at(b)) return true;
  const Tensor *x = graph.ConstantInput(a, input), *y = graph.ConstantInput(b, input);
  return x != nullptr && y != nullptr && !x->deferred() && !y->deferred() && x->dtype() == y->dtype() &&
         x->NumBytes() == y->NumBytes() && std::memcmp(x->Data(), y->Data(), x->NumBytes()) == 0;
}

// Whether n * scale / scale rounds to n for every n that 8 bits and a zero point give.
bool Reversible(const Graph& graph, const Node& quantize) {
  const Tensor* scale = graph.ConstantInput(quantize, 1);
  if (scale == nullptr || scale->deferred()) return false;
  const float size = std::fabs(*scale->Data<float>());
  return std::isnormal(size) && size < std::numeric_limits<float>::max() / 1024;
}

bool Cancel(Graph& graph, PassContext& context, Node& quantize) {
  Node& dequantize = graph.producer(quantize.inputs[0]);
  if (!IsDequantizeOfBytes(graph, dequantize) || HasUserDtype(dequantize) || HasUserDtype(quantize)) return false;
  const ValueId source = dequantize.inputs[0];
  if (graph.desc(source).dtype != graph.desc(quantize.outputs[0]).dtype) return false;
  if (!SameParameter(graph, dequantize, quantize, 1) || !SameParameter(graph, dequantize, quantize, 2)) return false;
  if (!Reversible(graph, quantize)) return false;
  // A model's output stays its own value.
  const std::vector<Use>& uses = graph.value(quantize.outputs[0]).uses;
  if (std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return graph.node(use.node).type() == "NetOutput"; })) {
    return false;
  }
  if (!context.journal.Allow("QuantizeLinear of DequantizeLinear", {&dequantize, &quantize})) return false;
  Node& producer = graph.producer(source);
  producer.origin = graph.origins().Union(producer.origin, quantize.origin);
  graph.ReplaceUses(quantize.outputs[0], source);
  graph.Remove(quantize.id);
  return true;
}

bool ForEachQuantize(Graph& graph, PassContext& context, bool (*rewrite)(Graph&, PassContext&, Node&)) {
  bool changed = false;
  // From the outputs on, so that one walk raises through a whole chain's last operator; rounds do the rest.
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && IsQuantizeOfBytes(graph, node)) changed |= rewrite(graph, context, node);
  }
  return changed;
}

}  // namespace

bool RaiseQuantizePass(Graph& graph, PassContext& context) { return ForEachQuantize(graph, context, Raise); }

bool CancelQuantizePass(Graph& graph, PassContext& context) { return ForEachQuantize(graph, context, Cancel); }

}  // namespace atc
