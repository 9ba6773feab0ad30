#include "compiler/precision/place_casts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"

namespace atc {
namespace {

// Operators whose one result has elements of the first input alone; their other inputs are integers.
constexpr const char* kPickers[] = {"BroadcastTo",          "Expand", "GatherElements", "GatherNd",       "GatherV2",
                                    "Slice",                "StridedSliceV2",           "Tile",           "onnx::GatherElements",
                                    "onnx::GatherND"};

bool IsFloat(DataType dtype) { return dtype == DT_FLOAT || IsHalf(dtype); }

class Placer {
 public:
  Placer(Graph& graph, Journal& journal) : graph_(graph), journal_(journal) {}

  void Run() {
    SkipWidening();
    for (const NodeId id : graph_.TopologicalOrder()) {
      if (graph_.node(id).alive && IsCast(graph_.node(id))) Sink(graph_.node(id));
    }
    std::vector<NodeId> order = graph_.TopologicalOrder();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      if (graph_.node(*id).alive && IsCast(graph_.node(*id))) Hoist(graph_.node(*id));
    }
    SkipWidening();  // what moved may stand in front of another one now
  }

 private:
  static bool IsFree(const Node& node) {
    return node.control_in.empty() && node.control_out.empty() && node.subgraphs.empty() && !node.fused && !HasUserDtype(node);
  }
  static bool IsCast(const Node& node) { return node.type() == "Cast" && IsFree(node); }

  DataType TypeOf(ValueId value) const { return graph_.desc(value).dtype; }

  bool IsPicker(const Node& node) const {
    const auto is = [&](const char* type) { return node.type() == type; };
    if (std::none_of(std::begin(kPickers), std::end(kPickers), is) || !IsFree(node) || node.outputs.size() != 1) return false;
    return std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                       [&](ValueId input) { return input == kNoId || IsInteger(TypeOf(input)); });
  }

  int64_t Elements(ValueId value) const {
    const Shape& shape = graph_.desc(value).origin_shape;
    return shape.IsKnown() ? shape.NumElements() : -1;
  }

  bool IsOutput(ValueId value) const {
    const auto& uses = graph_.value(value).uses;
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) { return graph_.node(use.node).type() == "NetOutput"; });
  }

  void Drop(Node& cast) {
    if (graph_.value(cast.outputs[0]).uses.empty()) graph_.Remove(cast.id);
  }

  void SkipWidening() {
    for (const NodeId id : graph_.TopologicalOrder()) {
      Node& node = graph_.node(id);
      if (node.alive && IsCast(node)) SkipWidening(node);
    }
  }

  void SkipWidening(Node& cast) {
    Node& before = graph_.producer(cast.inputs[0]);
    if (!IsCast(before)) return;
    const ValueId source = before.inputs[0];
    if (!IsHalf(TypeOf(source)) || TypeOf(before.outputs[0]) != DT_FLOAT) return;
    const bool undone = TypeOf(source) == TypeOf(cast.outputs[0]);
    // What goes from an input of the model straight to an output keeps a node between them.
    if (undone && IsOutput(cast.outputs[0]) && graph_.producer(source).Is(kSource)) return;
    journal_.Require("Cast of Cast", {&before, &cast});
    if (undone) {
      graph_.ReplaceUses(cast.outputs[0], source);
      graph_.Remove(cast.id);
    } else {
      graph_.SetInput(cast, 0, source);
      cast.Because("dtype", "takes what " + before.name + " widens");
    }
    Drop(before);
  }

  // A Cast to `to` of a value, for those of another one; `like` is what it comes from.
  Node& MakeCast(const Node& like, const Node& by, ValueId value, DataType to, std::string why) {
    journal_.Require("Cast", {&like, &by});
    Node& cast = graph_.Add("Cast", like.name, {value}, 1);
    cast.attrs.Set("dst_type", static_cast<int64_t>(to));
    cast.origin = like.origin;
    CopyStreamLabels(like, cast);
    TensorDesc desc = graph_.desc(value);
    desc.dtype = to;
    graph_.desc(cast.outputs[0]) = desc;
    cast.Because("dtype", std::move(why));
    journal_.Made(cast);
    return cast;
  }

  void Sink(Node& cast) {
    const ValueId source = cast.inputs[0];
    const DataType from = TypeOf(source), to = TypeOf(cast.outputs[0]);
    const std::vector<Use> uses = graph_.value(cast.outputs[0]).uses;
    if (!IsFloat(from) || !IsFloat(to) || uses.empty() || graph_.Constant(source) != nullptr) return;
    int64_t picked = 0;
    for (const Use& use : uses) {
      const Node& picker = graph_.node(use.node);
      if (use.input != 0 || !IsPicker(picker) || Elements(picker.outputs[0]) < 0) return;
      picked += Elements(picker.outputs[0]);
    }
    if (Elements(cast.outputs[0]) <= picked) return;
    std::vector<NodeId> pickers;
    for (const Use& use : uses) pickers.push_back(use.node);
    std::sort(pickers.begin(), pickers.end());
    for (const NodeId id : pickers) {
      Node& picker = graph_.node(id);
      const ValueId result = picker.outputs[0];
      const std::vector<Use> readers = graph_.value(result).uses;
      graph_.SetInput(picker, 0, source);
      graph_.desc(result).dtype = from;
      const Node& behind = MakeCast(cast, picker, result, to, "behind " + picker.name + ", which has fewer elements");
      for (const Use& use : readers) graph_.SetInput(graph_.node(use.node), use.input, behind.outputs[0]);
    }
    Drop(cast);
  }

  void Hoist(Node& cast) {
    const ValueId result = cast.inputs[0];
    const DataType from = TypeOf(result), to = TypeOf(cast.outputs[0]);
    if (!IsFloat(from) || !IsFloat(to) || graph_.value(result).uses.size() != 1) return;
    Node& picker = graph_.producer(result);
    if (!IsPicker(picker) || graph_.Constant(picker.inputs[0]) != nullptr) return;
    if (Elements(picker.inputs[0]) < 0 || Elements(picker.inputs[0]) >= Elements(result)) return;
    const Node& before = MakeCast(cast, picker, picker.inputs[0], to, "before " + picker.name + ", which has more elements");
    graph_.SetInput(picker, 0, before.outputs[0]);
    graph_.desc(result).dtype = to;
    graph_.ReplaceUses(cast.outputs[0], result);
    graph_.Remove(cast.id);
  }

  Graph& graph_;
  Journal& journal_;
};

}  // namespace

void PlaceCasts(Graph& graph, Journal& journal) { Placer(graph, journal).Run(); }

}  // namespace atc
