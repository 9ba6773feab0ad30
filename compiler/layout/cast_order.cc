#include "compiler/layout/cast_order.h"

#include <string>
#include <vector>

#include "compiler/layout/format_rules.h"

namespace atc {
namespace {

class Order {
 public:
  Order(Graph& graph, Journal& journal) : graph_(graph), journal_(journal) {}

  void Run() {
    for (const NodeId id : graph_.TopologicalOrder()) {
      Node& cast = graph_.node(id);
      if (cast.type() == "Cast" && IsFree(cast)) Visit(cast);
    }
  }

 private:
  static bool IsFree(const Node& node) { return node.control_in.empty() && node.control_out.empty() && !node.fused; }

  // The TransData that alone reads `value`; nullptr where something else does too.
  Node* OnlyTransData(ValueId value) const {
    const std::vector<Use>& uses = graph_.value(value).uses;
    if (uses.size() != 1) return nullptr;
    Node& reader = graph_.node(uses[0].node);
    return reader.type() == "TransData" && IsFree(reader) ? &reader : nullptr;
  }

  // The TransData that brings `value` into `form` already.
  Node* SharedTransData(ValueId value, Form form) const {
    for (const Use& use : graph_.value(value).uses) {
      Node& reader = graph_.node(use.node);
      if (reader.type() == "TransData" && FormOf(graph_.desc(reader.outputs[0])) == form) return &reader;
    }
    return nullptr;
  }

  static int64_t Bytes(const TensorDesc& like, Form form, DataType dtype) {
    TensorDesc desc = like;
    desc.dtype = dtype;
    SetForm(desc, form);
    const int64_t elements = desc.shape.IsKnown() ? desc.shape.NumElements() : 1;
    return static_cast<int64_t>(DataTypeBytes(dtype, elements));
  }

  void Visit(Node& cast) {
    Node* const trans = OnlyTransData(cast.outputs[0]);
    if (trans == nullptr) return;
    const ValueId source = cast.inputs[0], between = cast.outputs[0], result = trans->outputs[0];
    const TensorDesc have = graph_.desc(source), end = graph_.desc(result);
    const Form before = FormOf(graph_.desc(between)), behind = FormOf(end);
    if (!SameBlocks(have.dtype, end.dtype) || FormOf(have) != before) return;
    Node* const shared = SharedTransData(source, behind);
    if (shared == nullptr && Bytes(end, before, end.dtype) <= Bytes(end, behind, have.dtype)) return;
    journal_.Require("TransData before Cast", {&cast, trans});
    const std::vector<Use> readers = graph_.value(result).uses;
    ValueId moved = result;
    if (shared != nullptr) {
      moved = shared->outputs[0];
    } else {
      graph_.SetInput(*trans, 0, source);
      graph_.desc(result).dtype = have.dtype;
    }
    std::erase_if(cast.reasons, [](const Reason& reason) { return reason.aspect == "format"; });
    cast.Because("format", std::string(FormatName(end.format)) + ": behind " + graph_.producer(moved).name +
                               (shared != nullptr ? ", which serves others too" : ", which moves fewer bytes so"));
    graph_.SetInput(cast, 0, moved);
    graph_.desc(between) = end;
    for (const Use& use : readers) graph_.SetInput(graph_.node(use.node), use.input, between);
    if (shared != nullptr) graph_.Remove(trans->id);
  }

  Graph& graph_;
  Journal& journal_;
};

}  // namespace

void OrderCasts(Graph& graph, Journal& journal) { Order(graph, journal).Run(); }

}  // namespace atc
