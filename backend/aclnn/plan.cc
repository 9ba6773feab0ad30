#include "backend/aclnn/plan.h"

#include <algorithm>
#include <cstring>

#include "backend/aclnn/strided_copy.h"
#include "backend/kernels/team.h"
#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"

namespace atc::aclnn {
namespace {

constexpr size_t kAlignment = 512;  // of parts of the workspace, as kernels of an NPU want it
// Below that many elements one core is done before others have begun.
constexpr int64_t kWorthSharing = 1 << 15;

size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

size_t BytesOf(const TensorDesc& desc) { return DataTypeBytes(desc.dtype, desc.shape.NumElements()); }

int64_t LargestOperand(const Graph& graph, const Node& node) {
  int64_t largest = 0;
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    for (const ValueId id : *ids) {
      if (id != kNoId) largest = std::max(largest, graph.desc(id).shape.NumElements());
    }
  }
  return largest;
}

}  // namespace

Plan::Plan(std::unique_ptr<Graph> graph, const std::vector<TensorRef>& tensors, std::vector<OutputBinding> outputs,
           const std::vector<bool>& through, int cores)
    : graph_(std::move(graph)), outputs_(std::move(outputs)), used_(tensors.size(), false) {
  for (const TensorRef& tensor : tensors) views_.push_back(tensor.view);
  for (const OutputBinding& output : outputs_) used_[output.tensor] = true;
  for (const NodeId id : graph_->Inputs()) used_[graph_->node(id).attrs.Get<int64_t>("index", 0)] = true;
  for (ValueId value = 0; value < graph_->value_capacity(); ++value) {
    if (graph_->value(value).producer == kNoId || !graph_->producer(value).alive) continue;
    dynamic_ |= !graph_->desc(value).shape.IsKnown();
  }
  if (dynamic_) {
    std::vector<ValueId> results;
    for (const OutputBinding& output : outputs_) results.push_back(output.value.id);
    graph_->Add(Name("NetOutput"), "", std::move(results), 0);
  } else {
    Prepare(through, cores);
  }
}

ValueId Plan::Root(ValueId id) const {
  while (alias_of_[id] != id) id = alias_of_[id];
  return id;
}

void Plan::Prepare(const std::vector<bool>& through, int cores) {
  const Graph& graph = *graph_;
  places_.resize(graph.value_capacity());
  alias_of_.resize(graph.value_capacity());
  constants_.resize(graph.value_capacity());
  for (ValueId id = 0; id < graph.value_capacity(); ++id) alias_of_[id] = id;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    if (node.type() == "Const") {
      constants_[node.outputs[0]] = graph.Constant(node.outputs[0])->Materialized();
      places_[node.outputs[0]] = {Place::kConstant, 0, constants_[node.outputs[0]].Data()};
    } else if (node.type() == "Data") {
      const auto tensor = static_cast<size_t>(node.attrs.Get<int64_t>("index", 0));
      if (views_[tensor].contiguous()) {
        places_[node.outputs[0]] = {Place::kTensor, tensor, nullptr};
      } else {
        places_[node.outputs[0]].kind = Place::kWorkspace;
        Step step;
        step.kind = Step::kGather;
        step.outputs = {node.outputs[0]};
        step.tensor = tensor;
        steps_.push_back(std::move(step));
      }
    } else if (node.Is(kShapeOnly)) {
      alias_of_[node.outputs[0]] = Root(node.inputs[0]);
    } else {
      Step step;
      step.inputs = node.inputs;
      step.outputs = node.outputs;
      steps_.push_back(std::move(step));
      for (const ValueId output : node.outputs) places_[output].kind = Place::kWorkspace;
    }
  }
  PlaceValues(through);
  MakeKernels(cores);
  PlanWorkspace();
}

// A result is written where the caller wants it, if it is a kernel's own and nothing there is read later; else it is
// copied at the end.
void Plan::PlaceValues(const std::vector<bool>& through) {
  for (const OutputBinding& output : outputs_) {
    const ValueId root = Root(output.value.id);
    const bool direct = places_[root].kind == Place::kWorkspace && views_[output.tensor].contiguous() &&
                        !through[output.tensor] && !std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
                          return step.kind == Step::kGather && step.outputs[0] == root;
                        });
    if (direct) {
      places_[root] = {Place::kTensor, output.tensor, nullptr};
      continue;
    }
    Step step;
    step.kind = Step::kScatter;
    step.inputs = {root};
    step.tensor = output.tensor;
    steps_.push_back(std::move(step));
  }
}

void Plan::MakeKernels(int cores) {
  const Graph& graph = *graph_;
  team_choice_ = kernels::TeamChoice(cores);
  const auto prepared = kernels::MakePreparedConstants();
  const auto port = [&](ValueId id) {
    kernels::Port result;
    if (id == kNoId) return result;
    const TensorDesc& desc = graph.desc(id);
    result.present = true;
    result.dtype = desc.dtype;
    result.shape = desc.shape;
    if (constants_[id].defined()) result.constant = &constants_[id];
    return result;
  };
  for (Step& step : steps_) {
    if (step.kind != Step::kKernel) continue;
    const Node& node = graph.producer(step.outputs[0]);
    step.threads = LargestOperand(graph, node) >= kWorthSharing ? cores : 1;
    const kernels::Team team(step.threads);
    kernels::KernelSpec spec{node, {}, {}, step.threads, prepared.get()};
    for (const ValueId input : node.inputs) spec.inputs.push_back(port(input));
    for (const ValueId output : node.outputs) spec.outputs.push_back(port(output));
    step.kernel = kernels::MakeKernel(spec);
    step.scratch_bytes = step.kernel->scratch_bytes();
  }
}

// Parts that live at different times share their place: each takes the lowest that is free from its first to its last step.
void Plan::PlanWorkspace() {
  struct Part {
    size_t first, last, bytes, offset;
    size_t* target;
  };
  std::vector<Part> parts;
  std::vector<size_t> of_value(places_.size(), SIZE_MAX);
  for (size_t at = 0; at < steps_.size(); ++at) {
    Step& step = steps_[at];
    if (step.scratch_bytes > 0) parts.push_back({at, at, Aligned(step.scratch_bytes), 0, &step.scratch_offset});
    for (const auto* ids : {&step.outputs, &step.inputs}) {
      for (const ValueId id : *ids) {
        if (id == kNoId) continue;
        const ValueId root = Root(id);
        if (places_[root].kind != Place::kWorkspace) continue;
        if (of_value[root] == SIZE_MAX) {
          of_value[root] = parts.size();
          parts.push_back({at, at, Aligned(BytesOf(graph_->desc(root))), 0, &places_[root].at});
        }
        parts[of_value[root]].last = at;
      }
    }
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<std::pair<size_t, size_t>> taken;
    for (size_t j = 0; j < i; ++j) {
      if (parts[j].last >= parts[i].first && parts[j].first <= parts[i].last) {
        taken.emplace_back(parts[j].offset, parts[j].offset + parts[j].bytes);
      }
    }
    std::sort(taken.begin(), taken.end());
    size_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (begin >= offset + parts[i].bytes) break;
      offset = std::max(offset, end);
    }
    parts[i].offset = offset;
    workspace_bytes_ = std::max<uint64_t>(workspace_bytes_, offset + parts[i].bytes);
  }
  for (const Part& part : parts) *part.target = part.offset;
}

void Plan::Run(std::span<void* const> addresses, std::byte* workspace, std::vector<Shape>* shapes) {
  std::lock_guard lock(run_);
  if (dynamic_) return RunDynamic(addresses, shapes);
  const auto address = [&](ValueId id) -> void* {
    if (id == kNoId) return nullptr;
    const Place& place = places_[Root(id)];
    switch (place.kind) {
      case Place::kConstant: return const_cast<void*>(place.constant);
      case Place::kWorkspace: return workspace + place.at;
      case Place::kTensor: return static_cast<std::byte*>(addresses[place.at]) + views_[place.at].begin_bytes();
      default: return nullptr;
    }
  };
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (Step& step : steps_) {
    if (step.kind == Step::kGather) {
      CopyFromView(views_[step.tensor], addresses[step.tensor], address(step.outputs[0]));
      continue;
    }
    if (step.kind == Step::kScatter) {
      CopyToView(views_[step.tensor], address(step.inputs[0]), addresses[step.tensor]);
      continue;
    }
    inputs.clear();
    outputs.clear();
    for (const ValueId id : step.inputs) inputs.push_back(address(id));
    for (const ValueId id : step.outputs) outputs.push_back(address(id));
    kernels::RunChosen(team_choice_, step.times, step.threads, [&] {
      step.kernel->Run(inputs.data(), outputs.data(), workspace + step.scratch_offset);
      return true;
    });
  }
}

void Plan::RunDynamic(std::span<void* const> addresses, std::vector<Shape>* shapes) {
  std::vector<atc::Tensor> inputs;
  for (const NodeId id : graph_->Inputs()) {
    const auto tensor = static_cast<size_t>(graph_->node(id).attrs.Get<int64_t>("index", 0));
    atc::Tensor copy = atc::Tensor::Allocate(views_[tensor].dtype, views_[tensor].shape);
    if (copy.NumBytes() > 0) CopyFromView(views_[tensor], addresses[tensor], copy.MutableData());
    inputs.push_back(std::move(copy));
  }
  const std::vector<atc::Tensor> results = Evaluate(*graph_, std::move(inputs));
  for (size_t i = 0; i < outputs_.size(); ++i) {
    View view = views_[outputs_[i].tensor];
    const atc::Tensor& result = results[i];
    if (result.NumElements() > view.shape.NumElements()) {
      throw Error::Internal("the result has shape " + ToString(result.shape()) + ", which the tensor of shape " +
                            ToString(view.shape) + " has no room for");
    }
    view.shape = result.shape();
    view.strides = view.shape.Strides();
    if (result.NumBytes() > 0) CopyToView(view, result.Data(), addresses[outputs_[i].tensor]);
    shapes->push_back(view.shape);
  }
}

}  // namespace atc::aclnn
