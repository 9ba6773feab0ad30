#include "compiler/ops/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ir/shape_limit.h"
#include "compiler/ops/constant_condition.h"
#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

// Constants up to this many bytes are folded at once, larger ones when their bytes are asked for.
constexpr size_t kDeferAbove = 64 * 1024;
// A folded result may not be larger than its inputs, nor than all constants that the graph came with, by more than
// this: folding must not blow the model up, not in many steps either.
constexpr size_t kMaxGrowth = 1 << 20;
// Integers of a constant that are worth knowing one by one.
constexpr int64_t kMaxPartialInts = 64;

// Thrown by the memory of a fold whose result is larger than folding may make it.
struct FoldTooLarge {};

class Inference {
 public:
  Inference(Graph& graph, Journal* journal) : graph_(graph), journal_(journal) {
    if (journal == nullptr) return;
    for (const NodeId id : graph.TopologicalOrder()) {
      const Tensor* constant = graph.node(id).outputs.empty() ? nullptr : graph.Constant(graph.node(id).outputs[0]);
      if (constant) constant_bytes_ += constant->NumBytes();
    }
  }

  bool Run() {
    for (const NodeId id : graph_.TopologicalOrder()) Visit(graph_.node(id));
    return changed_;
  }

  // What is known of inputs goes into the graph: a constant takes the place of the Data.
  static std::vector<TensorDesc> InferNested(Graph& graph, const std::vector<InferContext::NestedInput>& inputs,
                                             Journal* journal) {
    Inference inference(graph, journal);
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
        what.constant = graph_.Constant(value);
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
      const std::vector<TensorDesc> outputs = InferNested(*node.fused, given, nullptr);
      for (size_t i = 0; i < node.outputs.size(); ++i) Describe(node.outputs[i], outputs[i]);
      return;
    }
    if (node.def->infer == nullptr) return;
    InferContext infer(node, std::move(inputs), std::move(known));
    infer.infer_graph = [this](Graph& nested, const std::vector<InferContext::NestedInput>& given, bool trial) {
      if (!trial || journal_ == nullptr) return InferNested(nested, given, journal_);
      const std::unique_ptr<Graph> copy = nested.Clone();
      Journal journal = journal_->ForTrial();
      return InferNested(*copy, given, &journal);
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
    CheckSizes(node);
    if (journal_ != nullptr && !node.Is(kSource)) Fold(node);
  }

 private:
  void Know(ValueId value, const InferContext::Known& known) {
    if (known.partial) ints_[value] = *known.partial;
    if (known.constant == nullptr || graph_.value(value).uses.empty()) return;
    const Tensor& constant = *known.constant;
    const Node& data = graph_.producer(value);
    if (journal_ != nullptr && journal_->Allow("constant into nested graph", {&data})) {
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
    const bool typed = !node.inputs.empty() && node.inputs[0] != kNoId && graph_.desc(node.inputs[0]).dtype != DT_UNDEFINED;
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
                  "Check that the sizes of --input_shape are meant, then this node in the model itself.")
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

  void Fold(Node& node) {
    if (node.outputs.empty() || node.Is(kStateful) || node.Is(kNoFold) || !node.subgraphs.empty()) return;
    if (FoldKnownInts(node)) return;
    size_t input_bytes = 0;
    std::set<ValueId> counted;  // an input that is taken twice counts once
    std::vector<Tensor> inputs;
    for (const ValueId value : node.inputs) {
      const Tensor* constant = graph_.Constant(value);
      if (value != kNoId && constant == nullptr) return;
      inputs.push_back(constant ? *constant : Tensor());
      if (constant && counted.insert(value).second) input_bytes += constant->NumBytes();
    }
    if (node.def->kernel == nullptr) return;
    size_t output_bytes = 0;
    bool known = true;
    for (const ValueId value : node.outputs) {
      const TensorDesc& desc = graph_.desc(value);
      known &=
          desc.shape.IsKnown() && desc.dtype != DT_UNDEFINED && desc.dtype != DT_STRING && desc.dtype != DT_VARIANT;
      if (known) output_bytes += DataTypeBytes(desc.dtype, desc.shape.NumElements());
    }
    const size_t most = std::min(input_bytes, constant_bytes_) + kMaxGrowth;
    if (known && output_bytes > most) return;
    if (!journal_->Allow("ConstantFolding", {&node})) return;
    const bool defer = known && node.outputs.size() == 1 && output_bytes > kDeferAbove;
    if (defer) {
      Replace(node, 0, DeferredResult(node, std::move(inputs)));
    } else {
      for (Tensor& tensor : inputs) tensor = tensor.Materialized();
      std::vector<Tensor> outputs;
      try {
        outputs = RunReferenceKernel(node, std::move(inputs), [&](size_t, DataType dtype, const Shape& shape) {
          if (DataTypeBytes(dtype, shape.NumElements()) > most) throw FoldTooLarge();
          return Tensor::Allocate(dtype, shape);
        });
      } catch (const FoldTooLarge&) {
        return;  // inference could not tell its size before
      }
      for (size_t i = 0; i < outputs.size(); ++i) Replace(node, i, std::move(outputs[i]));
    }
    Drop(node);
  }

  // The node is kept alive as a copy in a graph of its own, so that it may go from this one.
  Tensor DeferredResult(const Node& node, std::vector<Tensor> inputs) {
    const TensorDesc& desc = graph_.desc(node.outputs[0]);
    std::shared_ptr<Graph> holder = graph_.MakeNested("folded");
    Node& copy = holder->Add(*node.def, node.name, std::vector<ValueId>(node.inputs.size(), kNoId), 1);
    copy.attrs = node.attrs;
    return Tensor::Deferred(desc.dtype, desc.shape, [holder, inputs = std::move(inputs), &copy] {
      std::vector<Tensor> arguments;
      for (const Tensor& tensor : inputs) arguments.push_back(tensor.Materialized());
      return RunReferenceKernel(copy, std::move(arguments))[0];
    });
  }

  // Outputs whose integers inference knows need no inputs at all.
  bool FoldKnownInts(Node& node) {
    for (const ValueId value : node.outputs) {
      const auto it = ints_.find(value);
      if (it == ints_.end() || !it->second.IsKnown()) return false;
      const DataType dtype = graph_.desc(value).dtype;
      if (dtype != DT_INT64 && dtype != DT_INT32) return false;
    }
    if (!journal_->Allow("DimensionCompute", {&node})) return true;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const PartialInts& ints = ints_.at(node.outputs[i]);
      Tensor tensor = Tensor::Allocate(graph_.desc(node.outputs[i]).dtype, ints.shape);
      for (size_t e = 0; e < ints.elements.size(); ++e) {
        if (tensor.dtype() == DT_INT64) {
          tensor.MutableData<int64_t>()[e] = *ints.elements[e];
        } else {
          tensor.MutableData<int32_t>()[e] = static_cast<int32_t>(*ints.elements[e]);
        }
      }
      Replace(node, i, std::move(tensor));
    }
    Drop(node);
    return true;
  }

  void Replace(Node& node, size_t output, Tensor tensor) {
    const ValueId old = node.outputs[output];
    if (graph_.value(old).uses.empty()) return;
    const ValueId constant = graph_.AddConst(node.name + "_folded", std::move(tensor), node.origin);
    graph_.desc(constant).element = graph_.desc(old).element;
    graph_.desc(constant).optional = graph_.desc(old).optional;
    Node& made = graph_.producer(constant);
    made.attrs.Set("_is_from_constant_folding", AttrValue(true));
    journal_->Made(made);
    graph_.ReplaceUses(old, constant);
    changed_ = true;
  }

  void Drop(Node& node) {
    changed_ = true;
    graph_.Remove(node.id);
  }

  Graph& graph_;
  Journal* journal_;  // nullptr: no folding
  size_t constant_bytes_ = 0;
  std::map<ValueId, PartialInts> ints_;
  bool changed_ = false;
};

}  // namespace

bool InferShapesAndFold(Graph& graph, Journal& journal) {
  bool changed = Inference(graph, &journal).Run();
  // What turned out constant may decide an If, whose branch is better known where it now stands and may hold another.
  while (ResolveConstantConditions(graph, journal)) {
    Inference(graph, &journal).Run();
    changed = true;
  }
  return changed;
}

void InferNode(Graph& graph, Node& node) { Inference(graph, nullptr).Visit(node); }

void InferShapes(Graph& graph) { Inference(graph, nullptr).Run(); }

}  // namespace atc
