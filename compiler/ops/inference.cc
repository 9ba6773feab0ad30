#include "compiler/ops/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ir/shape_limit.h"
#include "compiler/ops/constant_condition.h"
#include "compiler/ops/folding.h"

namespace atc {
namespace {

// Integers of a constant that are worth knowing one by one.
constexpr int64_t kMaxPartialInts = 64;

class Inference {
 public:
  // `ledger`: null where nothing is folded.
  Inference(Graph& graph, Journal* journal, FoldLedger* ledger, const InferencePasses& passes = {})
      : graph_(graph), journal_(journal), ledger_(ledger), passes_(passes) {
    if (journal != nullptr) folder_.emplace(graph, *journal, *ledger, passes_);
  }

  bool Run() {
    for (const NodeId id : graph_.TopologicalOrder()) {
      if (graph_.node(id).alive) Visit(graph_.node(id));
    }
    if (folder_) folder_->Close();
    return changed_;
  }

  // What is known of inputs goes into the graph: a constant takes the place of the Data.
  static std::vector<TensorDesc> InferNested(Graph& graph, const std::vector<InferContext::NestedInput>& inputs,
                                             Journal* journal, FoldLedger* ledger, const InferencePasses& passes) {
    const GrowthOfCopy growth(graph, ledger);
    Inference inference(graph, journal, ledger, passes);
    const std::vector<NodeId> data = graph.Inputs();
    for (size_t i = 0; i < data.size() && i < inputs.size(); ++i) {
      const ValueId value = graph.node(data[i]).outputs[0];
      graph.desc(value) = inputs[i].desc;
      inference.Know(value, inputs[i].known);
    }
    inference.Run();
    std::vector<TensorDesc> outputs;
    if (const Node* net_output = graph.NetOutput()) {
      for (const ValueId value : net_output->inputs) outputs.push_back(graph.desc(value));
    }
    return outputs;
  }

  void Visit(Node& node) {
    if (node.type() == "Data") return CheckSizes(node);
    std::vector<TensorDesc> inputs;
    std::vector<InferContext::Known> known;
    for (const ValueId value : node.inputs) {
      inputs.push_back(value == kNoId ? TensorDesc() : graph_.desc(value));
      InferContext::Known what;
      if (value != kNoId) {
        what.constant = folder_ ? folder_->Constant(value) : graph_.Constant(value);
        // Large constants hold no integers that matter for shapes.
        if (what.constant && what.constant->deferred()) what.constant = nullptr;
        const auto it = ints_.find(value);
        if (it != ints_.end()) what.partial = &it->second;
      }
      known.push_back(what);
    }
    if (node.fused) {
      // A fused graph is not folded into: its constants are inputs of the node.
      std::vector<InferContext::NestedInput> given;
      for (TensorDesc& desc : inputs) given.push_back({std::move(desc), {}});
      const std::vector<TensorDesc> outputs = InferNested(*node.fused, given, nullptr, nullptr, passes_);
      for (size_t i = 0; i < node.outputs.size(); ++i) Describe(node.outputs[i], outputs[i]);
      return GiveTypes(node);
    }
    if (node.def->infer == nullptr) return;
    InferContext infer(node, std::move(inputs), std::move(known));
    infer.infer_graph = [this](Graph& nested, const std::vector<InferContext::NestedInput>& given, bool trial) {
      if (!trial || journal_ == nullptr) return InferNested(nested, given, journal_, ledger_, passes_);
      const std::unique_ptr<Graph> copy = nested.Clone();
      Journal journal = journal_->ForTrial();
      FoldLedger ledger = *ledger_;
      return InferNested(*copy, given, &journal, &ledger, passes_);
    };
    try {
      node.def->infer(infer);
    } catch (Error& error) {
      // What InferContext::Fail throws has the node among its arguments; others, those of plugins too, do not know it.
      const Diagnostic& diagnostic = error.diagnostic();
      if (diagnostic.code != "E14001" && diagnostic.context.empty()) {
        error.At(fmt::format("node '{}' ({})", node.name, node.type().str()));
      }
      if (!node.attrs.Has(kMayFailAttr)) throw;
      return LeaveUnknown(node, error);
    }
    std::vector<TensorDesc> outputs = infer.TakeOutputs();
    std::vector<std::optional<PartialInts>> ints = infer.TakeInts();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      Describe(node.outputs[i], outputs[i]);
      if (ints[i]) ints_[node.outputs[i]] = std::move(*ints[i]);
    }
    GiveTypes(node);
    CheckSizes(node);
    if (folder_ && !node.Is(kSource)) changed_ |= folder_->Fold(node, ints_);
  }

 private:
  void Know(ValueId value, const InferContext::Known& known) {
    if (known.partial) ints_[value] = *known.partial;
    if (known.constant == nullptr || graph_.value(value).uses.empty()) return;
    const Tensor& constant = *known.constant;
    const Node& data = graph_.producer(value);
    if (journal_ != nullptr) journal_->EnterPass(kConstantFolding);
    if (journal_ != nullptr && passes_.constants && journal_->Allow("constant into nested graph", {&data})) {
      const ValueId inside = graph_.AddConst(data.name + "_constant", constant, data.origin);
      graph_.desc(inside).element = graph_.desc(value).element;
      graph_.desc(inside).optional = graph_.desc(value).optional;
      journal_->Made(graph_.producer(inside));
      graph_.ReplaceUses(value, inside);
    } else if (IsInteger(constant.dtype()) && constant.NumElements() <= kMaxPartialInts) {
      PartialInts& ints = ints_[value] = {constant.shape(), {}};
      for (const int64_t element : ToInts(constant)) ints.elements.emplace_back(element);
    }
  }

  // The type is that of what goes in, as of most operators.
  void LeaveUnknown(Node& node, const Error& error) {
    node.attrs.Set(kInferErrorAttr, error.diagnostic().code + " " + MessageText(error.diagnostic()));
    const bool typed =
        !node.inputs.empty() && node.inputs[0] != kNoId && graph_.desc(node.inputs[0]).dtype != DT_UNDEFINED;
    const DataType dtype = typed ? graph_.desc(node.inputs[0]).dtype : DT_FLOAT;
    for (const ValueId output : node.outputs) Describe(output, TensorDesc(dtype, Shape({kUnknownRank})));
  }

  // Throws Error for an output that is larger than anything that can be computed with.
  void CheckSizes(const Node& node) const {
    for (const ValueId value : node.outputs) {
      const Shape& shape = graph_.desc(value).origin_shape;
      if (IsCountable(shape)) continue;
      const std::string type(node.type().str());
      throw Error("E14001",
                  {{"value", "The shape"},
                   {"opname", node.name},
                   {"optype", type},
                   {"reason", fmt::format("{} has more than {} elements", ToString(shape), kMaxElements)}},
                  "Check that the sizes given to the inputs are meant, then this node in the model itself.")
          .At(fmt::format("node '{}' ({})", node.name, type));
    }
  }

  // Keeps what the parser said of a format and of the elements of a sequence where inference says nothing better.
  void Describe(ValueId value, const TensorDesc& inferred) {
    TensorDesc& desc = graph_.desc(value);
    const Format format = inferred.origin_format == FORMAT_ND ? desc.origin_format : inferred.origin_format;
    TensorDesc before = std::move(desc);
    desc = inferred;
    if (desc.dtype == DT_VARIANT && desc.element == nullptr) {
      desc.element = std::move(before.element);
      desc.optional = before.optional;
    }
    desc.SetFormat(format);
  }

  void GiveTypes(const Node& node) {
    const auto* types = node.attrs.FindAs<std::vector<int64_t>>(kResultTypesAttr);
    if (types == nullptr) return;
    for (size_t i = 0; i < std::min(types->size(), node.outputs.size()); ++i) {
      graph_.desc(node.outputs[i]).dtype = static_cast<DataType>((*types)[i]);
    }
  }

  Graph& graph_;
  Journal* journal_;  // nullptr: no folding
  FoldLedger* ledger_;
  const InferencePasses passes_;
  std::optional<Folder> folder_;
  std::map<ValueId, PartialInts> ints_;
  bool changed_ = false;
};

}  // namespace

bool InferShapesAndFold(Graph& graph, Journal& journal, FoldLedger* ledger, const InferencePasses& passes) {
  FoldLedger own;
  FoldLedger& entries = ledger == nullptr ? own : *ledger;
  bool changed = false;
  // What turns out constant may decide an If, whose branch is better known where it then stands and may hold another.
  for (bool again = true; again; changed |= again) {
    entries.left.clear();
    changed |= Inference(graph, &journal, &entries, passes).Run();
    journal.EnterPass(kCondRemove);
    again = passes.conditions && ResolveConstantConditions(graph, journal);
  }
  if (ledger == nullptr) ForgetStoredBytes(graph);
  return changed;
}

void InferNode(Graph& graph, Node& node) { Inference(graph, nullptr, nullptr).Visit(node); }

void InferShapes(Graph& graph) { Inference(graph, nullptr, nullptr).Run(); }

}  // namespace atc
