#include "compiler/passes/concat_pad_fusion.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/compact_tensor.h"
#include "compiler/passes/slice_ranges.h"

namespace atc {
namespace {

constexpr size_t kMostBytes = 16 << 20;  // of a constant that is looked through

// The value that a constant has everywhere, as a scalar; undefined when it has several.
Tensor OnlyValue(const Tensor& constant) {
  if (constant.NumElements() == 0 || constant.NumBytes() > kMostBytes) return {};
  const Tensor compact = Compacted(constant.Materialized());
  return compact.NumElements() == 1 ? compact.Reshaped(Shape(std::vector<int64_t>{})) : Tensor();
}

bool IsZero(const Tensor& scalar) {
  const auto* bytes = scalar.Data();
  return std::all_of(bytes, bytes + scalar.NumBytes(), [](std::byte byte) { return byte == std::byte{0}; });
}

bool Fuse(Graph& graph, PassContext& context, Node& concat) {
  const std::optional<size_t> axis = ConcatAxisOf(graph, concat);
  if (!axis || concat.inputs.size() < 2 || HasUserDtype(concat)) return false;
  ValueId x = kNoId;
  Tensor value;
  int64_t before = 0, behind = 0;
  for (const ValueId input : concat.inputs) {
    const Tensor* constant = graph.Constant(input);
    if (constant == nullptr) {
      if (x != kNoId) return false;
      x = input;
      continue;
    }
    const Tensor only = OnlyValue(*constant);
    if (!only.defined() || (value.defined() && !BitEqual(value, only))) return false;
    value = only;
    (x == kNoId ? before : behind) += constant->dim(*axis);
  }
  if (x == kNoId || !value.defined()) return false;
  if (!context.journal.Allow("ConcatD with constants of one value", {&concat})) return false;
  const size_t rank = graph.desc(concat.outputs[0]).origin_shape.rank();
  std::vector<int64_t> pads(2 * rank, 0);  // all begins, then all ends
  pads[*axis] = before;
  pads[*axis + rank] = behind;
  std::vector<ValueId> inputs = {x, graph.AddConst(concat.name + "_paddings", Tensor::Ints(pads), concat.origin)};
  if (!IsZero(value)) inputs.push_back(graph.AddConst(concat.name + "_value", value, concat.origin));
  Node& pad = graph.Add("PadV3", "", std::move(inputs), 1);
  pad.attrs.Set("mode", "constant");
  pad.attrs.Set("paddings_contiguous", false);
  pad.origin = concat.origin;
  CopyStreamLabels(concat, pad);
  graph.desc(pad.outputs[0]) = graph.desc(concat.outputs[0]);
  pad.Because("fusion", "ConcatPadFusionPass: of " + concat.name);
  const std::string name = concat.name;
  graph.ReplaceUses(concat.outputs[0], pad.outputs[0]);
  graph.Remove(concat.id);
  graph.Rename(pad, name);
  context.journal.Made(pad);
  return true;
}

}  // namespace

bool ConcatPadFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "ConcatD" && node.control_in.empty() && node.control_out.empty()) {
      changed |= Fuse(graph, context, node);
    }
  }
  return changed;
}

}  // namespace atc
