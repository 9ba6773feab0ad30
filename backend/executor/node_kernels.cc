#include "backend/executor/node_kernels.h"

#include <algorithm>

#include "backend/kernels/team.h"

namespace atc {
namespace {

// Shapes of one node that kernels are kept for.
constexpr size_t kMostShapes = 8;
// Below so many elements a team costs more than it gains.
constexpr int64_t kTeamElements = 16 * 1024;

// What a kernel of fixed shapes can serve: all bytes of a fixed size, nothing nested, nothing that only passes through.
bool MayServe(const Node& node, const std::vector<Tensor>& tensors) {
  if (!node.subgraphs.empty() || node.Is(kStateful) || node.Is(kShapeOnly) || node.Is(kNoTask)) return false;
  if (node.type() == "TransData" && !node.fused) return false;
  return std::all_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) {
    return !tensor.defined() ||
           (tensor.dtype() != DT_STRING && tensor.dtype() != DT_VARIANT && tensor.NumElements() > 0);
  });
}

}  // namespace

NodeKernels::NodeKernels(const OmModel& model, const LoadOptions& options)
    : cores_(std::max(1, static_cast<int>(options.cores))),
      team_choice_(cores_),
      prepared_(kernels::MakePreparedConstants()),
      nested_(model, options) {}
NodeKernels::~NodeKernels() = default;

const EvaluationOrder& NodeKernels::OrderOf(const Graph& graph) {
  return orders_.try_emplace(&graph, graph).first->second;
}

// Each branch reads what follows the condition. Bodies of loops may see other shapes with each turn.
void NodeKernels::PrepareBranches(const Graph& graph, const Node& node) {
  if (!(node.type() == "If") && !(node.type() == "Case")) return;
  std::vector<TensorDesc> inputs;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNoId) return;
    inputs.push_back(graph.desc(node.inputs[i]));
  }
  for (const Subgraph& branch : node.subgraphs) nested_.Prepare(*branch.graph, inputs);
}

bool NodeKernels::Fits(const Entry& entry, const std::vector<Tensor>& inputs) {
  if (entry.shapes.size() != inputs.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool defined = inputs[i].defined();
    if (entry.types[i] != (defined ? inputs[i].dtype() : DT_UNDEFINED)) return false;
    if (defined && !(entry.shapes[i] == inputs[i].shape())) return false;
  }
  return true;
}

std::optional<std::vector<Tensor>> NodeKernels::Run(const Graph&, const Node& node, const std::vector<Tensor>& inputs) {
  const auto found = entries_.find(&node);
  if (found == entries_.end()) return std::nullopt;
  for (Entry& entry : found->second) {
    if (!Fits(entry, inputs)) continue;
    if (!entry.kernel) return std::nullopt;
    std::vector<const void*> from(inputs.size(), nullptr);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].defined()) from[i] = inputs[i].Data();
    }
    std::vector<Tensor> results;
    std::vector<void*> to;
    for (const kernels::Port& port : entry.outputs) {
      results.push_back(port.present ? Tensor::Allocate(port.dtype, port.shape) : Tensor());
      to.push_back(port.present ? results.back().MutableData() : nullptr);
    }
    kernels::RunChosen(team_choice_, entry.times, entry.threads, [&] {
      entry.kernel->Run(from.data(), to.data(), scratch_.data);
      return true;
    });
    return results;
  }
  return std::nullopt;
}

void NodeKernels::Saw(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs,
                      const std::vector<Tensor>& outputs) {
  if (!MayServe(node, inputs) || !MayServe(node, outputs)) return;
  std::vector<Entry>& entries = entries_[&node];
  if (entries.size() >= kMostShapes ||
      std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return Fits(entry, inputs); })) {
    return;
  }
  Entry& entry = entries.emplace_back();
  int64_t elements = 0;
  entry.constants.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    entry.shapes.push_back(input.defined() ? input.shape() : Shape());
    entry.types.push_back(input.defined() ? input.dtype() : DT_UNDEFINED);
    if (input.defined()) elements = std::max(elements, input.NumElements());
    if (input.defined() && graph.Constant(node.inputs[i]) != nullptr) entry.constants[i] = input;
  }
  for (const Tensor& output : outputs) {
    kernels::Port port;
    port.present = output.defined();
    if (port.present) {
      port.dtype = output.dtype();
      port.shape = output.shape();
      elements = std::max(elements, output.NumElements());
    }
    entry.outputs.push_back(std::move(port));
  }
  entry.threads = cores_ > 1 && elements >= kTeamElements ? cores_ : 1;
  kernels::KernelSpec spec{node, {}, entry.outputs, entry.threads, prepared_.get()};
  for (size_t i = 0; i < inputs.size(); ++i) {
    kernels::Port port;
    port.present = inputs[i].defined();
    port.dtype = entry.types[i];
    port.shape = entry.shapes[i];
    port.constant = entry.constants[i].defined() ? &entry.constants[i] : nullptr;
    spec.inputs.push_back(std::move(port));
  }
  const kernels::Team team(entry.threads);
  entry.kernel = kernels::MakeFastKernel(spec);
  // The place of the scratch may change, but no kernel keeps it.
  if (entry.kernel && scratch_.size < entry.kernel->scratch_bytes())
    scratch_ = Buffer::Allocate(entry.kernel->scratch_bytes());
}

}  // namespace atc
