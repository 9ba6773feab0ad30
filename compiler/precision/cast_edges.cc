#include "compiler/precision/cast_edges.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compiler/ir/edge_node.h"
#include "compiler/ir/half.h"
#include "compiler/ir/stream_label.h"
#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

constexpr float kHalfMax = 65504.0f;

bool IsCastable(DataType dtype) { return dtype == DT_FLOAT || IsHalf(dtype); }

Tensor InType(const Tensor& from, DataType to, bool clip) {
  Tensor wide = Widen(from);
  if (to == DT_FLOAT) return wide;
  if (to == DT_BF16 || !clip) return Narrow(wide, to);
  Tensor narrow = Tensor::Allocate(to, wide.shape());
  for (int64_t i = 0; i < wide.NumElements(); ++i) {
    const float value = wide.Data<float>()[i];
    narrow.MutableData<uint16_t>()[i] =
        FloatToHalf(std::isfinite(value) ? std::clamp(value, -kHalfMax, kHalfMax) : value);
  }
  return narrow;
}

class Caster {
 public:
  Caster(Graph& graph, bool clip, Journal& journal) : graph_(graph), clip_(clip), journal_(journal) {}

  void Require(Node& node, uint32_t input, DataType want) {
    const ValueId value = node.inputs[input];
    const DataType have = graph_.desc(value).dtype;
    if (want == DT_UNDEFINED || have == want) return;
    const Tensor* constant = graph_.Constant(value);
    const bool converts = constant != nullptr && IsCastable(constant->dtype()) && IsCastable(want);
    graph_.SetInput(node, input, converts ? Convert(node, value, want) : Cast(node, value, want));
  }

  // All users of the value take it in the type `want` from now on.
  void Round(ValueId value, DataType want) {
    const std::vector<Use> uses = graph_.value(value).uses;
    for (const Use& use : uses) Require(graph_.node(use.node), use.input, want);
  }

 private:
  ValueId Convert(const Node& consumer, ValueId value, DataType want) {
    const auto [it, added] = converted_.try_emplace({value, want}, kNoId);
    if (!added) return it->second;
    const Node& source = graph_.producer(value);
    it->second = graph_.AddConst(source.name + "_" + std::string(DataTypeName(want).substr(3)),
                                 ConvertConstant(*graph_.Constant(value), want, clip_), source.origin);
    graph_.producer(it->second).Because("dtype", "converted for " + consumer.name);
    journal_.Require("converted constant", {&source});
    journal_.Made(graph_.producer(it->second));
    return it->second;
  }

  ValueId Cast(const Node& consumer, ValueId value, DataType want) {
    journal_.Require("Cast", {&graph_.producer(value), &consumer});
    const Node& source = graph_.producer(value);
    const Node& served = ServedOnEdge(source, consumer);
    Node& cast = graph_.Add("Cast", "trans_Cast_" + std::to_string(number_++), {value}, 1);
    cast.attrs.Set("dst_type", static_cast<int>(want));
    cast.origin = served.origin;
    CopyStreamLabels(served, cast);
    TensorDesc desc = graph_.desc(value);
    desc.dtype = want;
    graph_.desc(cast.outputs[0]) = desc;
    cast.Because("dtype", "ends of the edge to " + consumer.name + " differ");
    journal_.Made(cast);
    return cast.outputs[0];
  }

  Graph& graph_;
  bool clip_;
  Journal& journal_;
  std::map<std::pair<ValueId, DataType>, ValueId> converted_;
  int number_ = 0;
};

}  // namespace

Tensor ConvertConstant(const Tensor& constant, DataType to, bool clip) {
  return Tensor::Deferred(to, constant.shape(),
                          [constant, to, clip] { return InType(constant.Materialized(), to, clip); });
}

void CastEdges(Graph& graph, const EdgeTypes& edges, Journal& journal) {
  Caster caster(graph, edges.clip_weights, journal);
  for (const auto& [value, want] : edges.rounded) caster.Round(value, want);
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId) continue;
      if (node.type() == "NetOutput") {
        caster.Require(node, i, edges.interface[i]);
        continue;
      }
      if (!IsCastable(graph.desc(node.inputs[i]).dtype)) continue;
      // What the model has here, also where a rounded value took the place of the one that it has.
      ValueId before = node.inputs[i];
      if (before >= edges.types.size()) before = graph.producer(before).inputs[0];
      const auto through = edges.through.find({id, i});
      if (through != edges.through.end()) caster.Require(node, i, through->second);
      DataType want = id < edges.chosen.size() ? edges.chosen[id] : DT_UNDEFINED;
      // What a nested graph was inferred for, and what a node computes in of which nothing was chosen.
      if (!node.subgraphs.empty() || (want == DT_UNDEFINED && node.type() != "Cast")) want = edges.types[before];
      const IoDef* declared = node.def->InputDef(i);
      if (!node.fused && declared && declared->keep_dtype && want != DT_UNDEFINED) want = DT_FLOAT;
      if (const auto taken = edges.taken.find({id, i}); taken != edges.taken.end()) want = taken->second;
      if (IsCastable(want)) caster.Require(node, i, want);
    }
  }
}

}  // namespace atc
