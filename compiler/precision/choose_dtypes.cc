#include "compiler/precision/choose_dtypes.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/precision/cast_edges.h"

namespace atc {
namespace {

struct Rule {
  PrecisionMode mode;
  const char* name;
  DataType lower_to;   // DT_FLOAT: nothing is lowered
  bool heavy_only;     // only convolutions and matrix products are lowered by themselves
  bool widen;          // half tensors become float
};

constexpr Rule kRules[] = {
    {PrecisionMode::kAllowFp32ToBf16, "allow_fp32_to_bf16", DT_BF16, false, false},
    {PrecisionMode::kAllowFp32ToFp16, "allow_fp32_to_fp16", DT_FLOAT16, false, false},
    {PrecisionMode::kForceFp16, "force_fp16", DT_FLOAT16, false, false},
    {PrecisionMode::kForceFp32, "force_fp32", DT_FLOAT, false, true},
    {PrecisionMode::kKeepOrigin, "must_keep_origin_dtype", DT_FLOAT, false, false},
    {PrecisionMode::kMixedBf16, "allow_mix_precision_bf16", DT_BF16, true, false},
    {PrecisionMode::kMixedFp16, "allow_mix_precision_fp16", DT_FLOAT16, true, false},
};

// Casts convert by themselves; the interface and constants follow the edges.
bool TakesPart(const Node& node) {
  return !node.Is(kSource) && node.type() != "NetOutput" && node.type() != "Cast" && !node.outputs.empty();
}

// By the types that the model has, whatever has been chosen before.
bool HasFloat(const std::vector<DataType>& types, const Node& node, bool half) {
  const auto matches = [&](ValueId value) {
    if (value == kNoId) return false;
    const DataType dtype = types[value];
    return half ? IsHalf(dtype) : dtype == DT_FLOAT;
  };
  return std::any_of(node.inputs.begin(), node.inputs.end(), matches) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), matches);
}

// A grey operator follows its first float input in the mixed modes.
bool FollowsHalf(const Graph& graph, const Node& node, const std::vector<DataType>& chosen) {
  for (const ValueId value : node.inputs) {
    if (value == kNoId) continue;
    const Node& producer = graph.producer(value);
    if (producer.Is(kSource)) continue;
    return IsHalf(chosen[producer.id]);
  }
  return false;
}

void SetOutputs(Graph& graph, Node& node, DataType from, DataType to) {
  for (const ValueId value : node.outputs) {
    TensorDesc& desc = graph.desc(value);
    if (from == DT_FLOAT ? desc.dtype == DT_FLOAT : IsHalf(desc.dtype)) desc.dtype = to;
  }
}

}  // namespace

bool SupportsHalf(const Node& node) { return node.fused || node.Is(kWidenHalf) || node.Is(kHalfNative); }

void ChooseDtypes(Graph& graph, PrecisionMode mode, std::vector<DataType> interface, Journal& journal) {
  const auto rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.mode == mode; });
  if (rule == std::end(kRules)) {
    throw Error("E10055", {{"reason", "This precision mode needs operators that this version does not have."}},
                "Use --precision_mode_v2=fp16 or --precision_mode_v2=origin.");
  }
  const Node* net_output = graph.NetOutput();
  interface.resize(net_output->inputs.size(), DT_UNDEFINED);
  for (size_t i = 0; i < interface.size(); ++i) {
    if (interface[i] == DT_UNDEFINED) interface[i] = graph.desc(net_output->inputs[i]).dtype;
  }

  std::vector<DataType> types;
  for (ValueId value = 0; value < graph.value_capacity(); ++value) types.push_back(graph.desc(value).dtype);
  std::vector<DataType> chosen(graph.node_capacity(), DT_UNDEFINED);  // DT_UNDEFINED: takes what comes
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (!TakesPart(node) || (rule->lower_to == DT_FLOAT && !rule->widen)) continue;
    // Nested graphs keep the types that the model gave them.
    if (!node.subgraphs.empty()) {
      node.Because("dtype", std::string(rule->name) + ": nested graphs keep their types");
      continue;
    }
    if (rule->widen) {
      if (!HasFloat(types, node, true)) continue;
      chosen[id] = DT_FLOAT;
      SetOutputs(graph, node, DT_FLOAT16, DT_FLOAT);
    } else {
      if (!HasFloat(types, node, false)) continue;
      const bool lower = SupportsHalf(node) &&
                         (!rule->heavy_only || node.Is(kHeavy) || FollowsHalf(graph, node, chosen));
      chosen[id] = lower ? rule->lower_to : DT_FLOAT;
      if (lower) SetOutputs(graph, node, DT_FLOAT, rule->lower_to);
    }
    node.Because("dtype", std::string(rule->name) + ": " + std::string(DataTypeName(chosen[id])));
  }
  CastEdges(graph, chosen, types, interface, journal);
}

}  // namespace atc
