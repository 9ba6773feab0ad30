#include "compiler/passes/dilated_conv_fusion.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "compiler/ir/stream_label.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// Block sizes, and edges begin and end by turns, for the axes from 1 on.
struct Blocks {
  Ints block, edges;
};

std::optional<Blocks> ReadBlocks(const Graph& graph, const Node& node) {
  const auto ints = [&](uint32_t input) -> std::optional<Ints> {
    const Tensor* tensor = graph.ConstantInput(node, input);
    if (tensor == nullptr || !IsInteger(tensor->dtype())) return std::nullopt;
    return ToInts(tensor->Materialized());
  };
  const bool by_attr = node.def->FindAttr("block_size") != nullptr;
  const auto block = by_attr ? std::optional(Ints(2, node.Attr<int64_t>("block_size"))) : ints(1);
  const auto edges = ints(by_attr ? 1 : 2);
  if (!block || !edges || edges->size() != 2 * block->size()) return std::nullopt;
  return Blocks{*block, *edges};
}

bool IsToBatch(const Node& node) { return node.type() == "SpaceToBatchND" || node.type() == "SpaceToBatch"; }
bool IsToSpace(const Node& node) { return node.type() == "BatchToSpaceND" || node.type() == "BatchToSpace"; }
bool IsConv(const Node& node) { return node.type() == "Conv2D" || node.type() == "Conv3D"; }

// One value for all elements, or one a channel along the last axis.
bool IsPerChannel(const Tensor* tensor) {
  if (tensor == nullptr) return false;
  return tensor->rank() == 0 || tensor->NumElements() == tensor->shape().dims().back();
}

// Whether each element of output 0 depends on the element of one operand at its place and on its channel alone; that
// operand's number.
std::optional<uint32_t> ElementOperand(const Graph& graph, const Node& node) {
  if (node.type() == "BatchNorm") {
    if (node.Attr<bool>("is_training") || node.Attr<std::string>("data_format").back() != 'C') return std::nullopt;
    return 0;
  }
  if (!node.Is(kElementwise) || node.Is(kStateful) || node.outputs.size() != 1) return std::nullopt;
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoId || IsPerChannel(graph.ConstantInput(node, i))) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

struct Chain {
  Node* to_batch = nullptr;
  Node* unsqueeze = nullptr;
  Node* conv = nullptr;
  Node* squeeze = nullptr;
  std::vector<Node*> elements;  // behind the convolution
};

std::optional<int64_t> OnlyAxis(const Node& node, const char* attr, size_t rank) {
  const Ints axes = node.attrs.Get<Ints>(attr, {});
  if (axes.size() != 1) return std::nullopt;
  return axes[0] < 0 ? axes[0] + static_cast<int64_t>(rank) : axes[0];
}

// From the operand of a BatchToSpace upwards.
std::optional<Chain> Follow(Graph& graph, const Node& to_space) {
  Chain chain;
  ValueId value = to_space.inputs[0];
  while (true) {
    Node& node = graph.producer(value);
    if (graph.value(value).uses.size() != 1 || node.fused || StreamLabelOf(node) != StreamLabelOf(to_space)) {
      return std::nullopt;
    }
    if (IsToBatch(node)) {
      chain.to_batch = &node;
      break;
    }
    uint32_t next = 0;
    if (IsConv(node) && chain.conv == nullptr) {
      chain.conv = &node;
    } else if (node.type() == "Squeeze" && chain.conv == nullptr && chain.squeeze == nullptr) {
      chain.squeeze = &node;
    } else if (node.type() == "Unsqueeze" && chain.conv != nullptr && chain.unsqueeze == nullptr) {
      chain.unsqueeze = &node;
    } else {
      const auto operand = chain.conv == nullptr ? ElementOperand(graph, node) : std::nullopt;
      if (!operand) return std::nullopt;
      chain.elements.push_back(&node);
      next = *operand;
    }
    value = node.inputs[next];
  }
  const bool paired = (chain.squeeze == nullptr) == (chain.unsqueeze == nullptr);
  return chain.conv != nullptr && paired ? std::optional(chain) : std::nullopt;
}

// Dilations and pads of the convolution as it stands for the whole.
struct Window {
  Ints dilations, pads;
};

std::optional<Window> Joined(const Chain& chain, const Blocks& split, const Blocks& join) {
  const Node& conv = *chain.conv;
  const size_t spatial = conv.type() == "Conv3D" ? 3 : 2;
  if (conv.Attr<std::string>("data_format").back() != 'C' || split.block != join.block) return std::nullopt;
  Window window{conv.Attr<Ints>("dilations"), conv.Attr<Ints>("pads")};
  const Ints strides = conv.Attr<Ints>("strides");
  const std::string auto_pad = conv.Attr<std::string>("auto_pad");
  if (auto_pad.starts_with("SAME")) return std::nullopt;  // it would lie around every block
  if (window.dilations.empty()) window.dilations.assign(spatial + 2, 1);
  if (window.pads.empty() || auto_pad == "VALID") window.pads.assign(2 * spatial, 0);
  const bool whole = strides.size() == spatial + 2 && window.dilations.size() == spatial + 2 &&
                     window.pads.size() == 2 * spatial;
  if (!whole) return std::nullopt;
  // Which axis of the convolution each blocked axis is.
  size_t inserted = 0;
  if (chain.squeeze != nullptr) {
    const auto in = OnlyAxis(*chain.unsqueeze, "axes", spatial + 2), out = OnlyAxis(*chain.squeeze, "axis", spatial + 2);
    if (!in || in != out || *in < 1 || *in > static_cast<int64_t>(spatial)) return std::nullopt;
    inserted = static_cast<size_t>(*in);
  }
  for (size_t d = 0; d < split.block.size(); ++d) {
    const size_t axis = d + 1 + (inserted != 0 && d + 1 >= inserted ? 1 : 0);
    if (axis > spatial || strides[axis] != 1) return std::nullopt;
    int64_t* pads = window.pads.data() + 2 * (axis - 1);
    // Padding of its own would lie around every block.
    if (split.block[d] != 1 && (pads[0] != 0 || pads[1] != 0)) return std::nullopt;
    window.dilations[axis] *= split.block[d];
    pads[0] += split.edges[2 * d] - join.edges[2 * d];
    pads[1] += split.edges[2 * d + 1] - join.edges[2 * d + 1];
    if (pads[0] < 0 || pads[1] < 0) return std::nullopt;  // more is cut off than was padded
  }
  return window;
}

bool Fuse(Graph& graph, PassContext& context, Node& to_space) {
  const auto chain = Follow(graph, to_space);
  if (!chain) return false;
  const auto split = ReadBlocks(graph, *chain->to_batch), join = ReadBlocks(graph, to_space);
  if (!split || !join) return false;
  const auto window = Joined(*chain, *split, *join);
  if (!window) return false;
  Node& conv = *chain->conv;
  if (!context.journal.Allow("SpaceToBatch + " + conv.type().str() + " + BatchToSpace", {chain->to_batch, &conv, &to_space})) {
    return false;
  }
  conv.attrs.Set("dilations", AttrValue(window->dilations));
  conv.attrs.Set("pads", AttrValue(window->pads));
  conv.attrs.Erase("auto_pad");
  conv.origin = graph.origins().Union(conv.origin, graph.origins().Union(chain->to_batch->origin, to_space.origin));
  conv.Because("fusion", "DilatedConvFusionPass: took in " + chain->to_batch->name + " and " + to_space.name);

  // Shapes between are those of the whole planes.
  const TensorDesc whole = graph.desc(chain->to_batch->inputs[0]), result = graph.desc(to_space.outputs[0]);
  const ValueId last = to_space.inputs[0];
  const auto describe = [&](const Node& node, const TensorDesc& plane) {
    TensorDesc& desc = graph.desc(node.outputs[0]);
    Shape shape = plane.origin_shape;
    if (shape.HasRank() && desc.origin_shape.HasRank() && desc.origin_shape.rank() > shape.rank()) {
      shape.dims().insert(shape.dims().begin() + *OnlyAxis(*chain->unsqueeze, "axes", shape.rank() + 1), 1);
    }
    desc.SetShape(shape);
    desc.ranges.clear();
    desc.symbols.clear();
  };
  if (chain->unsqueeze != nullptr) {
    describe(*chain->unsqueeze, whole);
    describe(*chain->squeeze, result);
  }
  describe(conv, result);
  for (const Node* node : chain->elements) describe(*node, result);
  context.journal.Made(conv);
  graph.ReplaceUses(chain->to_batch->outputs[0], chain->to_batch->inputs[0]);
  graph.ReplaceUses(to_space.outputs[0], last);
  graph.Remove(to_space.id);
  graph.Remove(chain->to_batch->id);
  return true;
}

}  // namespace

bool DilatedConvFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && IsToSpace(node)) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
