#include "compiler/passes/cast_sink.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/subgraph_match.h"
#include "compiler/passes/trans_op.h"

namespace atc {
namespace {

// Operators whose one result has elements of the first input alone; their other inputs are integers.
constexpr const char* kPickers[] = {
    "BroadcastTo",    "Expand", "GatherElements",       "GatherNd",      "GatherV2", "Slice",
    "StridedSliceV2", "Tile",   "onnx::GatherElements", "onnx::GatherND"};

class Sinker {
 public:
  Sinker(Graph& graph, Journal& journal) : graph_(graph), journal_(journal) {}

  bool Run() {
    for (const NodeId id : FreeCasts(graph_)) Sink(graph_.node(id));
    const std::vector<NodeId> casts = FreeCasts(graph_);
    for (auto id = casts.rbegin(); id != casts.rend(); ++id) Hoist(graph_.node(*id));
    return changed_;
  }

 private:
  DataType TypeOf(ValueId value) const { return graph_.desc(value).dtype; }

  bool IsPicker(const Node& node) const {
    const auto is = [&](const char* type) { return node.type() == type; };
    if (std::none_of(std::begin(kPickers), std::end(kPickers), is) || node.outputs.size() != 1) return false;
    if (!node.control_in.empty() || !node.control_out.empty() || node.fused || HasUserDtype(node)) return false;
    return std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                       [&](ValueId input) { return input == kNoId || IsInteger(TypeOf(input)); });
  }

  int64_t Elements(ValueId value) const {
    const Shape& shape = graph_.desc(value).origin_shape;
    return shape.IsKnown() ? shape.NumElements() : -1;
  }

  // A Cast to `to` of a value, in place of `like`.
  Node& MakeCast(const Node& like, ValueId value, DataType to, std::string why) {
    Node& cast = graph_.Add("Cast", like.name, {value}, 1);
    cast.attrs.Set("dst_type", static_cast<int64_t>(to));
    cast.origin = like.origin;
    CopyStreamLabels(like, cast);
    TensorDesc desc = graph_.desc(value);
    desc.dtype = to;
    graph_.desc(cast.outputs[0]) = desc;
    cast.Because("dtype", std::move(why));
    journal_.Made(cast);
    changed_ = true;
    return cast;
  }

  void Sink(Node& cast) {
    const ValueId source = cast.inputs[0];
    const DataType from = TypeOf(source), to = TypeOf(cast.outputs[0]);
    const std::vector<Use> uses = graph_.value(cast.outputs[0]).uses;
    if (!IsFloatOrHalf(from) || !IsFloatOrHalf(to) || uses.empty() || graph_.Constant(source) != nullptr) return;
    int64_t picked = 0;
    std::vector<NodeId> pickers;
    for (const Use& use : uses) {
      const Node& picker = graph_.node(use.node);
      if (use.input != 0 || !IsPicker(picker) || Elements(picker.outputs[0]) < 0) return;
      picked += Elements(picker.outputs[0]);
      pickers.push_back(use.node);
    }
    if (Elements(cast.outputs[0]) <= picked) return;
    std::sort(pickers.begin(), pickers.end());
    std::vector<const Node*> before = {&cast};
    for (const NodeId id : pickers) before.push_back(&graph_.node(id));
    if (!journal_.Allow("Cast behind what picks elements", before)) return;
    for (const NodeId id : pickers) {
      Node& picker = graph_.node(id);
      const ValueId result = picker.outputs[0];
      const std::vector<Use> readers = graph_.value(result).uses;
      graph_.SetInput(picker, 0, source);
      graph_.desc(result).dtype = from;
      journal_.Made(picker);
      const Node& behind = MakeCast(cast, result, to, "behind " + picker.name + ", which has fewer elements");
      for (const Use& use : readers) graph_.SetInput(graph_.node(use.node), use.input, behind.outputs[0]);
    }
    RemoveUnread(graph_, cast.id);
  }

  void Hoist(Node& cast) {
    const ValueId result = cast.inputs[0];
    const DataType from = TypeOf(result), to = TypeOf(cast.outputs[0]);
    if (!IsFloatOrHalf(from) || !IsFloatOrHalf(to) || graph_.value(result).uses.size() != 1) return;
    Node& picker = graph_.producer(result);
    if (!IsPicker(picker) || graph_.Constant(picker.inputs[0]) != nullptr) return;
    if (Elements(picker.inputs[0]) < 0 || Elements(picker.inputs[0]) >= Elements(result)) return;
    if (!journal_.Allow("Cast in front of what repeats elements", {&picker, &cast})) return;
    const Node& before = MakeCast(cast, picker.inputs[0], to, "before " + picker.name + ", which has more elements");
    graph_.SetInput(picker, 0, before.outputs[0]);
    graph_.desc(result).dtype = to;
    journal_.Made(picker);
    graph_.ReplaceUses(cast.outputs[0], result);
    graph_.Remove(cast.id);
  }

  Graph& graph_;
  Journal& journal_;
  bool changed_ = false;
};

}  // namespace

bool CastSinkPass(Graph& graph, PassContext& context) { return Sinker(graph, context.journal).Run(); }

}  // namespace atc
