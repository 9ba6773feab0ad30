#include "compiler/precision/choose_dtypes.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/quantized_product.h"
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
    {PrecisionMode::kCubeFp16InFp32Out, "cube_fp16in_fp32out", DT_FLOAT, false, false},
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

// Where input `inner` of the operator that a fused node keeps its type of enters the node; kNoId where it is made inside.
uint32_t OuterInput(const Node& node, uint32_t inner) {
  if (!node.fused) return inner;
  for (const NodeId id : node.fused->TopologicalOrder()) {
    const Node& member = node.fused->node(id);
    if (!(member.type() == node.type()) || inner >= member.inputs.size()) continue;
    const Node& source = node.fused->producer(member.inputs[inner]);
    if (source.type() != "Data") return kNoId;
    return static_cast<uint32_t>(source.attrs.Get<int64_t>("index", 0));
  }
  return kNoId;
}

constexpr const char* kCubeTypes[] = {"BatchMatMulV2", "Conv2D", "Conv3D", "MatMulV2"};

bool IsCustomizable(DataType dtype) { return dtype == DT_FLOAT || IsHalf(dtype); }

class Chooser {
 public:
  Chooser(Graph& graph, const Rule& rule, const PrecisionOptions& options)
      : graph_(graph), rule_(rule), options_(options) {
    for (ValueId value = 0; value < graph.value_capacity(); ++value) edges_.types.push_back(graph.desc(value).dtype);
    edges_.chosen.resize(graph.node_capacity(), DT_UNDEFINED);
    edges_.clip_weights = options.clip_weights;
  }

  EdgeTypes Run() {
    for (const NodeId id : graph_.TopologicalOrder()) {
      Node& node = graph_.node(id);
      if (!TakesPart(node)) continue;
      if (Customized(node)) {
        Customize(node);
        continue;
      }
      if (rule_.mode == PrecisionMode::kCubeFp16InFp32Out) PassCubeThroughHalf(node);
      if (rule_.lower_to == DT_FLOAT && !rule_.widen) continue;
      // Nested graphs keep the types that the model gave them.
      if (!node.subgraphs.empty()) {
        node.Because("dtype", std::string(rule_.name) + ": nested graphs keep their types");
        continue;
      }
      rule_.widen ? WidenNode(node) : LowerNode(node);
    }
    return std::move(edges_);
  }

 private:
  static bool Customized(const Node& node) {
    return node.subgraphs.empty() && (node.attrs.Find(kCustomInputs) || node.attrs.Find(kCustomOutputs));
  }
  bool IsKept(const Node& node) const {
    return node.attrs.Find(kKeepDtype) || node.attrs.Get<std::string>(kOpPrecisionMode, "") == kFloat32Execution;
  }
  bool IsKeptHalf(const Node& node) const { return node.attrs.Get<std::string>(kOpPrecisionMode, "") == kKeepFp16; }

  void Choose(Node& node, DataType dtype, const std::string& because) {
    edges_.chosen[node.id] = dtype;
    node.Because("dtype", because + ": " + std::string(DataTypeName(dtype)));
  }

  void WidenNode(Node& node) {
    if (!HasFloat(edges_.types, node, true)) return;
    if (node.attrs.Find(kKeepDtype) || IsKeptHalf(node)) {
      node.Because("dtype", "the user keeps its types");
      return;
    }
    SetOutputs(graph_, node, DT_FLOAT16, DT_FLOAT);
    Choose(node, DT_FLOAT, rule_.name);
  }

  void LowerNode(Node& node) {
    if (!HasFloat(edges_.types, node, false)) return;
    if (IsKept(node)) return Choose(node, DT_FLOAT, "the user keeps its types");
    if (IsKeptHalf(node) && SupportsHalf(node)) {
      SetOutputs(graph_, node, DT_FLOAT, DT_FLOAT16);
      return Choose(node, DT_FLOAT16, kKeepFp16);
    }
    const bool lower = SupportsHalf(node) && (!rule_.heavy_only || IsWhite(node) ||
                                              (!IsBlack(node) && FollowsHalf(graph_, node, edges_.chosen)));
    if (lower) SetOutputs(graph_, node, DT_FLOAT, rule_.lower_to);
    Choose(node, lower ? rule_.lower_to : DT_FLOAT, rule_.name);
  }

  // Of the lists of a mixed mode, the black one is empty here but for what a user adds.
  bool IsBlack(const Node& node) const { return options_.black_list.to_add.contains(node.type().str()); }
  bool IsWhite(const Node& node) const {
    const std::string& type = node.type().str();
    if (options_.white_list.to_add.contains(type)) return true;
    return node.Is(kHeavy) && !options_.white_list.to_remove.contains(type) && !IsBlack(node);
  }

  void PassCubeThroughHalf(Node& node) {
    const auto is_type = [&](const char* type) { return node.type() == type; };
    if (std::none_of(std::begin(kCubeTypes), std::end(kCubeTypes), is_type) || IsKept(node)) return;
    for (const uint32_t inner : {0u, 1u}) {
      const uint32_t input = OuterInput(node, inner);
      if (input == kNoId || input >= node.inputs.size() || node.inputs[input] == kNoId) continue;
      if (edges_.types[node.inputs[input]] != DT_FLOAT) continue;
      edges_.through[{node.id, input}] = DT_FLOAT16;
    }
    Choose(node, DT_FLOAT, std::string(rule_.name) + ", inputs through DT_FLOAT16");
  }

  // The type asked of tensor `i`, DT_UNDEFINED where none is.
  DataType Asked(const Node& node, const char* attr, const char* what, size_t i, ValueId value) const {
    const auto* asked = node.attrs.FindAs<std::vector<int64_t>>(attr);
    if (asked == nullptr || i >= asked->size()) return DT_UNDEFINED;
    const auto dtype = static_cast<DataType>((*asked)[i]);
    if (dtype == DT_UNDEFINED) return dtype;
    const DataType have = value == kNoId ? DT_UNDEFINED : edges_.types[value];
    if (dtype == have) return dtype;
    if (have != DT_UNDEFINED && IsCustomizable(dtype) && IsCustomizable(have)) return dtype;
    throw Error("E10001", {{"value", std::string(DataTypeName(dtype))},
                           {"parameter", "--customize_dtypes"},
                           {"reason", node.name + " (" + node.type().str() + ") has " +
                                          (have == DT_UNDEFINED ? "no " : std::string(DataTypeName(have)) + " as ") +
                                          what + " " + std::to_string(i) +
                                          "; float32, float16 and bfloat16 take the place of each other alone."}});
  }

  void Customize(Node& node) {
    std::set<DataType> floats;
    std::vector<DataType> outputs;
    const auto note = [&](DataType asked, DataType have) {
      const DataType dtype = asked == DT_UNDEFINED ? have : asked;
      if (IsCustomizable(dtype)) floats.insert(dtype);
    };
    CheckCount(node, kCustomInputs, "input", node.inputs.size());
    CheckCount(node, kCustomOutputs, "output", node.outputs.size());
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      const DataType asked = Asked(node, kCustomInputs, "input", i, node.inputs[i]);
      if (node.inputs[i] == kNoId) continue;
      note(asked, edges_.types[node.inputs[i]]);
      if (IsCustomizable(asked)) edges_.through[{node.id, i}] = asked;
    }
    for (uint32_t i = 0; i < node.outputs.size(); ++i) {
      outputs.push_back(Asked(node, kCustomOutputs, "output", i, node.outputs[i]));
      note(outputs[i], edges_.types[node.outputs[i]]);
    }
    if (floats.empty()) return;
    const DataType compute = floats.size() == 1 && SupportsHalf(node) ? *floats.begin() : DT_FLOAT;
    Choose(node, compute, "--customize_dtypes");
    for (uint32_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId value = node.outputs[i];
      if (!IsCustomizable(edges_.types[value])) continue;
      graph_.desc(value).dtype = compute;
      const DataType want = outputs[i] == DT_UNDEFINED ? edges_.types[value] : outputs[i];
      if (want != compute) edges_.rounded.push_back({value, want});
    }
  }

  void CheckCount(const Node& node, const char* attr, const char* what, size_t have) const {
    const auto* asked = node.attrs.FindAs<std::vector<int64_t>>(attr);
    for (size_t i = have; asked != nullptr && i < asked->size(); ++i) Asked(node, attr, what, i, kNoId);
  }

  Graph& graph_;
  const Rule& rule_;
  const PrecisionOptions& options_;
  EdgeTypes edges_;
};

}  // namespace

bool SupportsHalf(const Node& node) {
  if (node.fused) return !IsQuantizedUnit(node);
  return node.Is(kWidenHalf) || node.Is(kHalfNative);
}

void ChooseDtypes(Graph& graph, PrecisionMode mode, std::vector<DataType> interface, Journal& journal,
                  const PrecisionOptions& options) {
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

  EdgeTypes edges = Chooser(graph, *rule, options).Run();
  edges.interface = std::move(interface);
  CastEdges(graph, edges, journal);
}

}  // namespace atc
