#include "compiler/precision/choose_dtypes.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/inference.h"
#include "compiler/ops/quantized_product.h"
#include "compiler/precision/cast_edges.h"
#include "compiler/precision/mixed_lists.h"

namespace atc {
namespace {

// What a mode does with an operator that has float tensors.
enum class Choice {
  kKeep,         // the types of the model
  kLower,        // float becomes the half type of the mode, where the operator has it
  kHalfFactors,  // factors of the product are taken in fp16; it sums and gives float, halves too
  kWiden,        // halves become float
  kLists,        // by the white, the black and the grey list
};

struct Rule {
  PrecisionMode mode;
  const char* name;
  Choice cube;    // convolutions and matrix products
  Choice vector;  // all others
  DataType half = DT_FLOAT16;
};

// The vendor's guide gives force_fp32 and cube_fp16in_fp32out one meaning, and keeps float in vector operators under
// allow_fp32_to_fp16 where they have it; here all have.
constexpr Rule kRules[] = {
    {PrecisionMode::kAllowFp32ToBf16, "allow_fp32_to_bf16", Choice::kLower, Choice::kKeep, DT_BF16},
    {PrecisionMode::kAllowFp32ToFp16, "allow_fp32_to_fp16", Choice::kLower, Choice::kKeep},
    {PrecisionMode::kCubeFp16InFp32Out, "cube_fp16in_fp32out", Choice::kHalfFactors, Choice::kWiden},
    {PrecisionMode::kForceFp16, "force_fp16", Choice::kLower, Choice::kLower},
    {PrecisionMode::kForceFp32, "force_fp32", Choice::kHalfFactors, Choice::kWiden},
    {PrecisionMode::kKeepOrigin, "must_keep_origin_dtype", Choice::kKeep, Choice::kKeep},
    {PrecisionMode::kMixedBf16, "allow_mix_precision_bf16", Choice::kLists, Choice::kLists, DT_BF16},
    {PrecisionMode::kMixedFp16, "allow_mix_precision_fp16", Choice::kLists, Choice::kLists},
};

bool AsksForBfloat16(const PrecisionOptions& options) {
  const auto asks = [](const auto& entry) {
    const auto is_bf16 = [](DataType dtype) { return dtype == DT_BF16; };
    const auto& [inputs, outputs] = entry.second;
    return std::any_of(inputs.begin(), inputs.end(), is_bf16) || std::any_of(outputs.begin(), outputs.end(), is_bf16);
  };
  return std::any_of(options.custom_by_name.begin(), options.custom_by_name.end(), asks) ||
         std::any_of(options.custom_by_type.begin(), options.custom_by_type.end(), asks);
}

bool IsCustomizable(DataType dtype) { return dtype == DT_FLOAT || IsHalf(dtype); }

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

// The operator whose type a grey one takes: that of its first computed input. A Cast that only widens is looked through,
// since what comes before it has chosen already. Null where none is computed.
const Node* Leader(const Graph& graph, const std::vector<DataType>& types, const Node& node) {
  for (ValueId value : node.inputs) {
    if (value == kNoId || !IsCustomizable(types[value])) continue;
    const Node* producer = &graph.producer(value);
    while (producer->type() == "Cast" && types[value] == DT_FLOAT && IsHalf(types[producer->inputs[0]])) {
      value = producer->inputs[0];
      producer = &graph.producer(value);
    }
    if (!producer->Is(kSource)) return producer;
  }
  return nullptr;
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

// The inputs of convolutions and matrix products that are multiplied, under AscendIR's names.
constexpr std::string_view kFactors[] = {"a", "b", "filter", "x", "x1", "x2"};

bool IsFactor(const IoDef& input) {
  return std::find(std::begin(kFactors), std::end(kFactors), input.name.str()) != std::end(kFactors);
}

// Whether the operator widens each half operand by itself and gives each result in the type of its tensor, so that its
// tensors need not be of one type. What moves elements, or keeps halves as they are, takes one type alone.
bool MixesTypes(const Node& node) { return node.fused ? !IsQuantizedUnit(node) : node.Is(kWidenHalf); }

bool KeepsType(const Node& node, uint32_t input) {
  const IoDef* declared = node.fused ? nullptr : node.def->InputDef(input);
  return declared != nullptr && declared->keep_dtype;
}

constexpr const char* kNoHalf = "the operator has no half form";
constexpr const char* kNoHalfHere = ", the operator has no half form";

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
      if (!HasFloat(edges_.types, node, false) && !HasFloat(edges_.types, node, true)) continue;
      // Nested graphs keep the types that the model gave them.
      if (!node.subgraphs.empty()) {
        node.Because("dtype", std::string(rule_.name) + ": nested graphs keep their types");
        continue;
      }
      Decide(node);
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

  void Decide(Node& node) {
    if (rule_.mode != PrecisionMode::kKeepOrigin) {
      if (IsKept(node)) return Keep(node, node.attrs.Find(kKeepDtype) ? "--keep_dtype" : kFloat32Execution);
      if (IsKeptHalf(node)) return SupportsHalf(node) ? Lower(node, DT_FLOAT16, kKeepFp16) : Keep(node, kNoHalf);
    }
    const Choice choice = node.Is(kHeavy) ? rule_.cube : rule_.vector;
    switch (choice) {
      case Choice::kKeep: return Keep(node, rule_.name);
      case Choice::kLower: return LowerIfItCan(node, rule_.name);
      case Choice::kHalfFactors: return TakeHalfFactors(node);
      case Choice::kWiden: return Widen(node, rule_.name);
      case Choice::kLists: return ByLists(node);
    }
  }

  void Keep(Node& node, const std::string& because) {
    if (HasFloat(edges_.types, node, false) && HasFloat(edges_.types, node, true)) {
      node.Because("dtype", because + ": the types of the model");
      return;
    }
    // What is not lowered takes float from predecessors that are, and the other way round.
    Choose(node, FloatTypeOf(node), because);
  }

  // The one type of a node's float tensors.
  DataType FloatTypeOf(const Node& node) const {
    for (const auto* values : {&node.outputs, &node.inputs}) {
      for (const ValueId value : *values) {
        if (value != kNoId && IsCustomizable(edges_.types[value])) return edges_.types[value];
      }
    }
    return DT_UNDEFINED;
  }

  void Widen(Node& node, const std::string& because) {
    SetOutputs(graph_, node, DT_FLOAT16, DT_FLOAT);
    Choose(node, DT_FLOAT, because);
  }

  void Lower(Node& node, DataType to, const std::string& because) {
    if (!HasFloat(edges_.types, node, false)) return Keep(node, because);  // it is half already
    SetOutputs(graph_, node, DT_FLOAT, to);
    Choose(node, to, because);
  }

  void LowerIfItCan(Node& node, const std::string& because) {
    SupportsHalf(node) ? Lower(node, rule_.half, because) : Keep(node, because + kNoHalfHere);
  }

  void TakeHalfFactors(Node& node) {
    auto& factors = MixesTypes(node) ? edges_.taken : edges_.through;
    bool any = false;
    for (uint32_t inner = 0; inner < node.def->inputs.size(); ++inner) {
      const uint32_t input = IsFactor(node.def->inputs[inner]) ? OuterInput(node, inner) : kNoId;
      if (input == kNoId || input >= node.inputs.size() || node.inputs[input] == kNoId) continue;
      const DataType have = edges_.types[node.inputs[input]];
      if (!IsCustomizable(have)) continue;
      factors[{node.id, input}] = have == DT_FLOAT ? DT_FLOAT16 : have;
      any = true;
    }
    Widen(node, any ? std::string(rule_.name) + ", factors in DT_FLOAT16" : rule_.name);
    if (any && MixesTypes(node)) RecordResults(node);
  }

  // What inference would not find, who repeats it for a graph of open shapes or behind a user's pass.
  void RecordResults(Node& node) {
    std::vector<int64_t> types;
    for (const ValueId value : node.outputs) types.push_back(graph_.desc(value).dtype);
    node.attrs.Set(kResultTypesAttr, std::move(types));
  }

  void ByLists(Node& node) {
    const MixedList list = ListOf(node, options_);
    const std::string because = std::string(rule_.name) + ", " + NameOf(list);
    if (list == MixedList::kWhite) return LowerIfItCan(node, because);
    if (list == MixedList::kBlack) return Keep(node, because);
    const Node* leader = Leader(graph_, edges_.types, node);
    if (leader == nullptr) return Keep(node, because + ", after inputs of the model");
    const DataType led = leader->type() == "Cast" ? edges_.types[leader->outputs[0]] : edges_.chosen[leader->id];
    IsHalf(led) ? LowerIfItCan(node, because + ", follows " + leader->name)
                : Keep(node, because + ", follows " + leader->name);
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
    std::vector<DataType> inputs;
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      inputs.push_back(Asked(node, kCustomInputs, "input", i, node.inputs[i]));
      if (node.inputs[i] != kNoId) note(inputs[i], edges_.types[node.inputs[i]]);
    }
    for (uint32_t i = 0; i < node.outputs.size(); ++i) {
      outputs.push_back(Asked(node, kCustomOutputs, "output", i, node.outputs[i]));
      note(outputs[i], edges_.types[node.outputs[i]]);
    }
    if (floats.empty()) return;
    if (floats.size() == 1 && SupportsHalf(node)) return CustomizeAll(node, *floats.begin(), inputs, outputs);
    MixesTypes(node) ? CustomizeEach(node, inputs, outputs) : CustomizeAll(node, DT_FLOAT, inputs, outputs);
  }

  // Each tensor has the type that is asked of it, else that of the model.
  void CustomizeEach(Node& node, const std::vector<DataType>& inputs, const std::vector<DataType>& outputs) {
    edges_.chosen[node.id] = DT_FLOAT;
    std::string taken, given;
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoId) continue;
      const DataType have = edges_.types[node.inputs[i]];
      const DataType want = inputs[i] == DT_UNDEFINED ? have : inputs[i];
      if (IsCustomizable(want)) (KeepsType(node, i) ? edges_.through : edges_.taken)[{node.id, i}] = want;
      taken += (taken.empty() ? "" : ", ") + std::string(DataTypeName(KeepsType(node, i) ? have : want));
    }
    for (uint32_t i = 0; i < node.outputs.size(); ++i) {
      TensorDesc& desc = graph_.desc(node.outputs[i]);
      if (outputs[i] != DT_UNDEFINED) desc.dtype = outputs[i];
      given += (given.empty() ? "" : ", ") + std::string(DataTypeName(desc.dtype));
    }
    node.Because("dtype", "--customize_dtypes: " + taken + " to " + given);
    RecordResults(node);
  }

  // The operator has one type, `compute`; what is to have another is rounded before or behind it.
  void CustomizeAll(Node& node, DataType compute, const std::vector<DataType>& inputs,
                    const std::vector<DataType>& outputs) {
    Choose(node, compute, "--customize_dtypes");
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (IsCustomizable(inputs[i])) edges_.through[{node.id, i}] = inputs[i];
    }
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

void CheckPrecisionMode(PrecisionMode mode, const PrecisionOptions& options, const Soc& soc, std::string parameter,
                        std::string value) {
  if (soc.bfloat16) return;
  const auto* rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.mode == mode; });
  const bool by_mode = rule != std::end(kRules) && rule->half == DT_BF16;
  if (!by_mode && !AsksForBfloat16(options)) return;
  if (!by_mode) {
    parameter = "--customize_dtypes";
    value = "bfloat16";
  }
  if (parameter.empty()) parameter = "--precision_mode";
  if (value.empty()) value = rule->name;
  throw Error("E20101",
              {{"value", std::move(value)},
               {"parameter", std::move(parameter)},
               {"reason", "It computes in bfloat16, which " + std::string(soc.name) + " does not have."}},
              "Take float16, or the --soc_version of a chip with bfloat16: Ascend910B1 to B4 and Ascend910_93xx.");
}

bool SupportsHalf(const Node& node) {
  if (node.fused) return !IsQuantizedUnit(node);
  return node.Is(kWidenHalf) || node.Is(kHalfNative);
}

void ChooseDtypes(Graph& graph, PrecisionMode mode, std::vector<DataType> interface, Journal& journal,
                  const PrecisionOptions& options) {
  const auto rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.mode == mode; });
  if (rule == std::end(kRules)) {
    const char* word = mode == PrecisionMode::kCubeHif8 ? "cube_hif8" : "mixed_hif8";
    throw Error("E10055",
                {{"reason", "--precision_mode_v2=" + std::string(word) +
                                " computes in HiFloat8, a type of chips that are not among those of "
                                "--soc_version"}},
                "Use --precision_mode_v2=fp16, or mixed_float16 for less of it.");
  }
  Node* net_output = graph.NetOutput();
  for (size_t i = 0; i < interface.size(); ++i) {
    if (interface[i] == DT_UNDEFINED) continue;
    net_output->Because(
        "dtype", "output " + std::to_string(i) + " as --output_type asks: " + std::string(DataTypeName(interface[i])));
  }
  interface.resize(net_output->inputs.size(), DT_UNDEFINED);
  for (size_t i = 0; i < interface.size(); ++i) {
    if (interface[i] == DT_UNDEFINED) interface[i] = graph.desc(net_output->inputs[i]).dtype;
  }

  EdgeTypes edges = Chooser(graph, *rule, options).Run();
  edges.interface = std::move(interface);
  CastEdges(graph, edges, journal);
}

}  // namespace atc
