#include "compiler/precision/cast_edges.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "compiler/ir/half.h"
#include "compiler/ir/stream_label.h"
#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

constexpr float kHalfMax = 65504.0f;

bool IsCastable(DataType dtype) { return dtype == DT_FLOAT || IsHalf(dtype); }

Tensor Convert(const Tensor& from, DataType to) {
  Tensor wide = Widen(from);
  if (to == DT_FLOAT) return wide;
  if (to == DT_BF16) return Narrow(wide, to);
  Tensor narrow = Tensor::Allocate(to, wide.shape());
  for (int64_t i = 0; i < wide.NumElements(); ++i) {
    const float value = wide.Data<float>()[i];
    narrow.MutableData<uint16_t>()[i] = FloatToHalf(std::isfinite(value) ? std::clamp(value, -kHalfMax, kHalfMax) : value);
  }
  return narrow;
}

class Caster {
 public:
  Caster(Graph& graph, Journal& journal) : graph_(graph), journal_(journal) {}

  void Require(Node& node, uint32_t input, DataType want) {
    const ValueId value = node.inputs[input];
    const DataType have = graph_.desc(value).dtype;
    if (want == DT_UNDEFINED || have == want) return;
    const auto [it, added] = made_.try_emplace({value, want}, kNoId);
    if (added) it->second = Make(node, value, want);
    graph_.SetInput(node, input, it->second);
  }

 private:
  ValueId Make(const Node& consumer, ValueId value, DataType want) {
    const Tensor* constant = graph_.Constant(value);
    if (constant && IsCastable(constant->dtype()) && IsCastable(want)) {
      const Node& source = graph_.producer(value);
      return graph_.AddConst(source.name + "_" + std::string(DataTypeName(want).substr(3)), ConvertConstant(*constant, want),
                             source.origin);
    }
    journal_.Require("Cast", {&graph_.producer(value), &consumer});
    const Node& source = graph_.producer(value);
    // A Cast serves its consumer, unless that is the interface.
    const Node& served = consumer.origin == kNoOrigin ? source : consumer;
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
  Journal& journal_;
  std::map<std::pair<ValueId, DataType>, ValueId> made_;
  int number_ = 0;
};

}  // namespace

Tensor ConvertConstant(const Tensor& constant, DataType to) {
  return Tensor::Deferred(to, constant.shape(), [constant, to] { return Convert(constant.Materialized(), to); });
}

void CastEdges(Graph& graph, const std::vector<DataType>& chosen, const std::vector<DataType>& types,
               const std::vector<DataType>& interface, Journal& journal) {
  Caster caster(graph, journal);
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId) continue;
      if (node.type() == "NetOutput") {
        caster.Require(node, i, interface[i]);
        continue;
      }
      if (!IsCastable(graph.desc(node.inputs[i]).dtype)) continue;
      DataType want = id < chosen.size() ? chosen[id] : DT_UNDEFINED;
      // What a nested graph was inferred for.
      if (!node.subgraphs.empty()) want = types[node.inputs[i]];
      const IoDef* declared = node.def->InputDef(i);
      if (!node.fused && declared && declared->keep_dtype && want != DT_UNDEFINED) want = DT_FLOAT;
      if (IsCastable(want)) caster.Require(node, i, want);
    }
  }
}

}  // namespace atc
