#include "compiler/passes/quantized_fusion.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/quantized_product.h"
#include "compiler/passes/elementwise_fusion.h"
#include "compiler/passes/fused_node.h"

namespace atc {
namespace {

struct HeavyRow {
  const char* type;
  const char* transpose_x;  // nullptr: a convolution, filter [M, C / groups, ...]
  const char* transpose_w;
};

constexpr HeavyRow kHeavy8[] = {
    {"BatchMatMulV2", "adj_x1", "adj_x2"},
    {"Conv2D", nullptr, nullptr},
    {"MatMulV2", "transpose_x1", "transpose_x2"},
};

constexpr const char* kPools[] = {"AvgPoolV2", "GlobalAveragePool"};
constexpr const char* kQuantizing[] = {"onnx::QLinearConv", "onnx::QLinearMatMul"};

template <size_t kCount>
bool IsOneOf(const Node& node, const char* const (&types)[kCount]) {
  return std::any_of(types, types + kCount, [&](const char* type) { return node.type() == type; });
}

bool IsByte(DataType dtype) { return dtype == DT_INT8 || dtype == DT_UINT8; }

bool IsFree(const Node& node) {
  return !node.fused && node.subgraphs.empty() && node.control_in.empty() && node.control_out.empty() &&
         !HasUserDtype(node);
}

bool Contains(const std::vector<NodeId>& members, NodeId id) {
  return std::find(members.begin(), members.end(), id) != members.end();
}

// Numbers of the input of a DequantizeLinear along `axis`: one scale and zero point, or one for each index of it.
bool ScalesAlong(const Graph& graph, const Node& dequantize, int64_t axis) {
  if (IsDequantizeOfBytes(graph, dequantize)) return true;
  const TensorDesc& data = graph.desc(dequantize.inputs[0]);
  const Shape& shape = data.origin_shape;
  if (!IsByte(data.dtype) || graph.desc(dequantize.outputs[0]).dtype != DT_FLOAT) {
    return false;
  }
  const auto rank = static_cast<int64_t>(shape.rank());
  int64_t of = dequantize.Attr<int64_t>("axis");
  of += of < 0 ? rank : 0;
  const Shape& scale = graph.desc(dequantize.inputs[1]).origin_shape;
  return of == axis && scale.rank() == 1 && scale[0] == shape[static_cast<size_t>(axis)] &&
         graph.desc(dequantize.inputs[1]).dtype == DT_FLOAT;
}

// The DequantizeLinear that gives input `i` of `node`; kNoId where something else does.
NodeId DequantizeBefore(const Graph& graph, const Node& node, uint32_t i) {
  if (node.inputs.size() <= i || node.inputs[i] == kNoId) return kNoId;
  const Node& producer = graph.producer(node.inputs[i]);
  return producer.type() == "onnx::DequantizeLinear" && IsFree(producer) ? producer.id : kNoId;
}

// An elementwise operator over floats whose result has the shape `shape`.
bool IsFloatElementwise(const Graph& graph, const Node& node, const Shape& shape) {
  if (!node.Is(kElementwise | kWidenHalf) || node.Is(kStateful) || !IsFree(node) || node.outputs.size() != 1)
    return false;
  const TensorDesc& output = graph.desc(node.outputs[0]);
  if (output.dtype != DT_FLOAT || !(output.origin_shape == shape)) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId input) { return input == kNoId || graph.desc(input).dtype == DT_FLOAT; });
}

bool Fuse(Graph& graph, PassContext& context, std::vector<NodeId> members, NodeId heart, Name type, ValueId leaving,
          const char* pass) {
  std::vector<const Node*> before;
  std::string types;
  for (const NodeId id : members) {
    before.push_back(&graph.node(id));
    types += (types.empty() ? "" : "+") + graph.node(id).type().str();
  }
  if (!context.journal.Allow("8-bit " + type.str(), before)) return false;
  Node& fused = MakeFused(graph, members, heart, type, leaving);
  fused.Because("fusion", std::string(pass) + ": " + types);
  context.journal.Made(fused);
  return true;
}

bool IsNumber(const Graph& graph, const Node& node, uint32_t input) {
  const Tensor* constant = graph.ConstantInput(node, input);
  return constant != nullptr && !constant->deferred() && constant->NumElements() == 1;
}

// One whose result is a function of input 0 alone, element by element, known at compile time.
bool IsTabled(const Graph& graph, const Node& node) {
  for (uint32_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i] != kNoId && !IsNumber(graph, node, i)) return false;
  }
  return true;
}

// The same of an operator over floats, whichever of its inputs it is.
bool IsTabledElementwise(const Graph& graph, const Node& node, const Use& from, const Shape& shape) {
  if (!IsFloatElementwise(graph, node, shape)) return false;
  for (uint32_t i = 0; i < node.inputs.size(); ++i) {
    if (i != from.input && node.inputs[i] != kNoId && !IsNumber(graph, node, i)) return false;
  }
  return true;
}

// Behind a result of 8 bits, up to where it has 8 bits again: what dequantises it for elementwise operators, one after
// another, and quantises theirs, if others read nothing of it. Returns the last value.
ValueId TakeTable(const Graph& graph, ValueId bytes, std::vector<NodeId>& members) {
  const std::string label = StreamLabelOf(graph.producer(bytes));
  const Shape shape = graph.desc(bytes).origin_shape;
  std::vector<NodeId> taken;
  for (ValueId at = bytes; members.size() + taken.size() < kMaxFusedNodes;) {
    const std::vector<Use>& uses = graph.value(at).uses;
    if (uses.size() != 1) break;
    const Node& user = graph.node(uses[0].node);
    if (!IsFree(user) || StreamLabelOf(user) != label || user.outputs.size() != 1) break;
    const bool first = at == bytes, data = uses[0].input == 0;
    taken.push_back(user.id);
    at = user.outputs[0];
    if (!first && data && IsQuantizeOfBytes(graph, user) && IsTabled(graph, user)) {
      members.insert(members.end(), taken.begin(), taken.end());
      return at;
    }
    const bool goes_on = first ? data && IsDequantizeOfBytes(graph, user) && IsTabled(graph, user)
                               : IsTabledElementwise(graph, user, uses[0], shape);
    if (!goes_on) break;
  }
  return bytes;
}

// What follows `at` and can be part of the node that computes it: elementwise operators, one after another, and the
// QuantizeLinear at their end. Returns the last value.
ValueId TakeTail(const Graph& graph, ValueId at, std::vector<NodeId>& members) {
  const Shape shape = graph.desc(at).origin_shape;
  const std::string label = StreamLabelOf(graph.producer(at));
  while (graph.value(at).uses.size() == 1 && members.size() < kMaxFusedNodes) {
    const Use use = graph.value(at).uses[0];
    const Node& user = graph.node(use.node);
    if (StreamLabelOf(user) != label) break;
    if (use.input == 0 && IsFree(user) && IsQuantizeOfBytes(graph, user)) {
      members.push_back(user.id);
      return user.outputs[0];
    }
    if (!IsFloatElementwise(graph, user, shape)) break;
    for (uint32_t i = 0; i < user.inputs.size(); ++i) {
      const NodeId dequantize = DequantizeBefore(graph, user, i);
      if (dequantize != kNoId && IsDequantizeOfBytes(graph, graph.node(dequantize)) && !Contains(members, dequantize)) {
        members.push_back(dequantize);
      }
    }
    members.push_back(user.id);
    at = user.outputs[0];
  }
  return at;
}

// The DequantizeLinear nodes of the operands, and of a bias in 32 bits; empty where the operator is no 8-bit product.
std::vector<NodeId> OperandsOf(const Graph& graph, const Node& node, const HeavyRow& row) {
  const NodeId x = DequantizeBefore(graph, node, 0), w = DequantizeBefore(graph, node, 1);
  if (x == kNoId || w == kNoId || !IsDequantizeOfBytes(graph, graph.node(x))) return {};
  const Shape& shape_x = graph.desc(node.inputs[0]).origin_shape;
  const Shape& shape_w = graph.desc(node.inputs[1]).origin_shape;
  if (!shape_x.HasRank() || !shape_w.IsKnown() || shape_x.rank() < 2 || shape_w.rank() < 2) return {};
  const auto rank = static_cast<int64_t>(shape_w.rank());
  int64_t columns = 0, terms = 1;
  if (row.transpose_x == nullptr) {
    for (int64_t d = 1; d < rank; ++d) terms *= shape_w[d];
  } else {
    const bool transpose = node.Attr<bool>(row.transpose_w);
    columns = transpose ? rank - 2 : rank - 1;
    terms = shape_w[transpose ? rank - 1 : rank - 2];
  }
  if (terms > kMaxByteTerms || !ScalesAlong(graph, graph.node(w), columns)) return {};
  std::vector<NodeId> members{x};
  if (w != x) members.push_back(w);
  const NodeId bias = DequantizeBefore(graph, node, 2);
  if (bias == kNoId) return members;
  const Node& dequantize = graph.node(bias);
  const bool integer = graph.desc(dequantize.inputs[0]).dtype == DT_INT32;
  if (!integer || graph.desc(dequantize.inputs[1]).dtype != DT_FLOAT) return members;
  members.push_back(bias);
  return members;
}

bool FuseProduct(Graph& graph, PassContext& context, const Node& node) {
  if (!IsFree(node) || node.outputs.size() != 1 || graph.desc(node.outputs[0]).dtype != DT_FLOAT) return false;
  for (const HeavyRow& row : kHeavy8) {
    if (!(node.type() == row.type)) continue;
    std::vector<NodeId> members = OperandsOf(graph, node, row);
    if (members.empty()) return false;
    members.push_back(node.id);
    ValueId leaving = TakeTail(graph, node.outputs[0], members);
    if (graph.desc(leaving).dtype != DT_FLOAT) leaving = TakeTable(graph, leaving, members);
    return Fuse(graph, context, std::move(members), node.id, node.type(), leaving, "QuantizedProductFusionPass");
  }
  return false;
}

// Products that quantise by themselves.
bool FuseQuantizingProduct(Graph& graph, PassContext& context, const Node& node) {
  if (!IsOneOf(node, kQuantizing) || !IsFree(node) || !IsByte(graph.desc(node.outputs[0]).dtype)) return false;
  std::vector<NodeId> members{node.id};
  const ValueId leaving = TakeTable(graph, node.outputs[0], members);
  return members.size() > 1 &&
         Fuse(graph, context, std::move(members), node.id, node.type(), leaving, "QuantizedProductFusionPass");
}

bool FuseEitherProduct(Graph& graph, PassContext& context, const Node& node) {
  return FuseProduct(graph, context, node) || FuseQuantizingProduct(graph, context, node);
}

// An operator between the DequantizeLinear of its only tensor and a QuantizeLinear.
bool FuseBetween(Graph& graph, PassContext& context, const Node& node, const char* pass) {
  if (!IsFree(node) || node.outputs.size() != 1) return false;
  const NodeId x = DequantizeBefore(graph, node, 0);
  if (x == kNoId || !IsDequantizeOfBytes(graph, graph.node(x))) return false;
  std::vector<NodeId> members{x, node.id};
  const ValueId leaving = TakeTail(graph, node.outputs[0], members);
  return graph.desc(leaving).dtype != DT_FLOAT &&
         Fuse(graph, context, std::move(members), node.id, node.type(), leaving, pass);
}

bool FusePooling(Graph& graph, PassContext& context, const Node& node) {
  return IsOneOf(node, kPools) && FuseBetween(graph, context, node, "QuantizedPoolingFusionPass");
}

bool FuseSoftmax(Graph& graph, PassContext& context, const Node& node) {
  return node.type() == "SoftmaxV2" && FuseBetween(graph, context, node, "QuantizedSoftmaxFusionPass");
}

// Grows upwards from the QuantizeLinear: what joins is used by members alone, so that nothing else leaves the group.
bool FuseElementwise(Graph& graph, PassContext& context, const Node& quantize) {
  if (!IsQuantizeOfBytes(graph, quantize) || !IsFree(quantize)) return false;
  const Shape shape = graph.desc(quantize.outputs[0]).origin_shape;
  const std::string label = StreamLabelOf(quantize);
  std::vector<NodeId> members{quantize.id};
  for (bool grown = true; grown && members.size() < kMaxFusedNodes;) {
    grown = false;
    for (size_t m = 0; m < members.size() && !grown; ++m) {
      const Node& member = graph.node(members[m]);
      if (member.type() == "onnx::DequantizeLinear") continue;
      const size_t inputs = &member == &quantize ? 1 : member.inputs.size();
      for (uint32_t i = 0; i < inputs && !grown; ++i) {
        if (member.inputs[i] == kNoId) continue;
        const Node& producer = graph.producer(member.inputs[i]);
        if (Contains(members, producer.id) || StreamLabelOf(producer) != label || !IsFree(producer)) continue;
        const std::vector<Use>& uses = graph.value(member.inputs[i]).uses;
        const bool inside =
            std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return Contains(members, use.node); });
        if (!IsDequantizeOfBytes(graph, producer) && !(inside && IsFloatElementwise(graph, producer, shape))) continue;
        members.push_back(producer.id);
        grown = true;
      }
    }
  }
  if (members.size() < 2) return false;
  const std::vector<NodeId> order = graph.TopologicalOrder();
  std::vector<NodeId> sorted;
  std::copy_if(order.begin(), order.end(), std::back_inserter(sorted),
               [&](NodeId id) { return Contains(members, id); });
  return Fuse(graph, context, std::move(sorted), quantize.id, "FusedElementwise", quantize.outputs[0],
              "QuantizedElementwiseFusionPass");
}

bool ForEach(Graph& graph, PassContext& context, bool (*fuse)(Graph&, PassContext&, const Node&)) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    if (graph.node(id).alive) changed |= fuse(graph, context, graph.node(id));
  }
  return changed;
}

}  // namespace

bool QuantizedProductFusionPass(Graph& graph, PassContext& context) {
  return ForEach(graph, context, FuseEitherProduct);
}

bool QuantizedPoolingFusionPass(Graph& graph, PassContext& context) { return ForEach(graph, context, FusePooling); }

bool QuantizedSoftmaxFusionPass(Graph& graph, PassContext& context) { return ForEach(graph, context, FuseSoftmax); }

bool QuantizedElementwiseFusionPass(Graph& graph, PassContext& context) {
  return ForEach(graph, context, FuseElementwise);
}

}  // namespace atc
