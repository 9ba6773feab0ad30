#include "backend/executor/dynamic_model.h"

#include <algorithm>
#include <cstring>

#include "backend/executor/describe.h"
#include "backend/executor/value_codec.h"
#include "backend/runtime/device.h"
#include "backend/runtime/stream.h"
#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "compiler/plan/memory.h"
#include "compiler/plan/parts.h"

namespace atc {
namespace {

bool IsPlain(DataType dtype) { return dtype != DT_STRING && dtype != DT_VARIANT && dtype != DT_UNDEFINED; }

// Every value that somebody reads has a known shape and bytes of a fixed size, and no task list is nested.
bool CanPlan(const Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    if (!node.subgraphs.empty()) return false;
    for (const ValueId output : node.outputs) {
      const Value& value = graph.value(output);
      if (value.uses.empty() && !(node.type() == "Data")) continue;
      if (!value.desc.shape.IsKnown() || !IsPlain(value.desc.dtype)) return false;
    }
  }
  return true;
}

// Results of one kernel that nobody reads keep no place; their descs must not hinder the plan.
void DescribeUnread(Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (!graph.node(id).alive) continue;
    for (const ValueId output : graph.node(id).outputs) {
      TensorDesc& desc = graph.desc(output);
      if (!desc.shape.IsKnown() || !IsPlain(desc.dtype)) desc = TensorDesc(DT_UINT8, {0});
    }
  }
}

// Inference speaks of origin views; the storage formats are those that the compiler chose. The slot of NC1HWC0 holds
// channels-last without padding here, so the origin shape tells its size.
void RestoreFormats(const Graph& compiled, Graph& graph) {
  for (ValueId value = 0; value < compiled.value_capacity(); ++value) {
    if (!IsBlocked(compiled.desc(value).format)) continue;
    TensorDesc& desc = graph.desc(value);
    if (desc.origin_shape.rank() != 4) continue;
    desc.format = compiled.desc(value).format;
    desc.origin_format = compiled.desc(value).origin_format;
  }
}

// Why an input of shape `given` is none that the model was converted for; empty when it is one.
std::string Misfit(const TensorInfo& declared, const Shape& given) {
  if (!declared.shape.HasRank()) return "";
  std::string wanted;
  bool fits = given.rank() == declared.shape.rank();
  for (size_t i = 0; i < declared.shape.rank(); ++i) {
    const bool ranged = i < declared.ranges.size();
    const auto [least, most] = ranged ? declared.ranges[i] : std::pair<int64_t, int64_t>{0, -1};
    const int64_t dim = declared.shape[i];
    wanted += (i > 0 ? "," : "") + (dim >= 0  ? std::to_string(dim)
                                    : !ranged ? "-1"
                                              : std::to_string(least) + "~" + (most < 0 ? "" : std::to_string(most)));
    if (!fits) continue;
    fits = dim >= 0 ? given[i] == dim : given[i] >= least && (most < 0 || given[i] <= most);
  }
  return fits ? "" : "has shape " + ToString(given) + ", the model was converted for [" + wanted + "]";
}

TaskType TypeOf(const Node& node) {
  if (node.type() == "Send") return TaskType::kEventRecord;
  if (node.type() == "Recv") return TaskType::kEventWait;
  return node.type() == "StreamActive" ? TaskType::kStreamActive : TaskType::kKernel;
}

std::vector<Task> TasksInOrder(const Graph& graph) {
  std::vector<Task> tasks;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (node.stream < 0) continue;
    Task task;
    task.id = static_cast<uint32_t>(tasks.size());
    task.type = TypeOf(node);
    task.stream = static_cast<uint32_t>(node.stream);
    if (task.type == TaskType::kEventRecord || task.type == TaskType::kEventWait) {
      task.event = static_cast<uint32_t>(node.attrs.Get<int64_t>("event_id", 0));
    }
    task.op_index = id;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

bool IsOrderAlone(const Node& node) { return TypeOf(node) != TaskType::kKernel; }

// Folding may have made the input of what only reshapes a constant: it then needs a task to give it bytes, and folded
// nodes need none. False where such a task is new: no event of the plan makes its readers wait for it.
bool KeepStreams(Graph& graph) {
  bool kept = true;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    const bool task = !node.Is(kNoTask) && !AliasesInput(graph, node);
    kept &= !task || node.stream >= 0;
    if (!task) node.stream = -1;
    if (task && node.stream < 0) node.stream = 0;
  }
  return kept;
}

void UseOneStream(Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (IsOrderAlone(node)) node.stream = -1;
    if (node.stream > 0) node.stream = 0;
  }
}

}  // namespace

DynamicModel::DynamicModel(OmModel model, const LoadOptions& options)
    : model_(std::move(model)),
      info_(DescribeModel(model_)),
      options_(options),
      kernels_(std::max<int>(1, static_cast<int>(options.cores))) {
  options_.work = nullptr;  // a caller's memory was sized without knowing the shapes
  info_.peak_bytes = info_.weight_bytes;
}

std::unique_ptr<StaticModel> DynamicModel::MakePlan(const std::vector<Shape>& shapes) const {
  OmModel plan;
  plan.name = model_.name;
  plan.attrs = model_.attrs;
  plan.graph = model_.graph->Clone();
  Graph& graph = *plan.graph;
  const std::vector<NodeId> data = graph.Inputs();
  for (size_t i = 0; i < data.size(); ++i) graph.desc(graph.node(data[i]).outputs[0]).SetShape(shapes[i]);
  try {
    Journal journal;
    InferShapesAndFold(graph, journal);
  } catch (const Error&) {
    return nullptr;  // running it tells what is wrong, with the values at hand
  }
  if (!CanPlan(graph)) return nullptr;
  RestoreFormats(*model_.graph, graph);
  DescribeUnread(graph);
  graph.Renumber(graph.TopologicalOrder());
  if (KeepStreams(graph) && model_.stream_num > 1) {
    plan.stream_num = model_.stream_num;
    plan.event_num = model_.event_num;
  } else {
    UseOneStream(graph);
  }
  // Who waited for what has no task now waits for its parts: events beside it stay on their streams.
  MarkNoTask(graph);
  const MemoryPlan memory = PlanMemory(graph, true);
  plan.memory_size = memory.memory_size;
  plan.zero_copy_memory_size = memory.zero_copy_memory_size;
  plan.tasks = TasksInOrder(graph);
  return std::make_unique<StaticModel>(std::move(plan), options_);
}

StaticModel* DynamicModel::FindPlan(std::span<const TensorView> inputs) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!IsPlain(info_.inputs[i].dtype)) return nullptr;
    shapes.push_back(inputs[i].shape);
  }
  const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) { return plan.inputs == shapes; });
  if (found != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, found);
  } else {
    std::unique_ptr<StaticModel> model = MakePlan(shapes);
    if (plans_.size() == kMaxPlans) plans_.pop_back();
    plans_.push_front({std::move(shapes), std::move(model)});
    uint64_t bytes = info_.weight_bytes;
    for (const Plan& plan : plans_) {
      if (plan.model) bytes += plan.model->info().peak_bytes - plan.model->info().weight_bytes;
    }
    info_.peak_bytes = std::max(info_.peak_bytes, bytes);
  }
  Plan& plan = plans_.front();
  if (plan.model && plan.profile != profile_) {
    plan.model->SetProfile(profile_);
    plan.profile = profile_;
  }
  return plan.model.get();
}

void DynamicModel::SetProfile(RunProfile* profile) {
  profile_ = profile;
  profiled_as_.assign(model_.graph->node_capacity(), kNoId);
  for (Plan& plan : plans_) {
    if (plan.model) plan.model->SetProfile(nullptr);
    plan.profile = nullptr;
  }
}

// A node's time is that between the end of the one before it and its own.
std::vector<Tensor> DynamicModel::EvaluateProfiled(std::vector<Tensor> arguments) {
  EvaluateOptions options;
  options.kept = &kept_;
  options.runner = &kernels_;
  uint64_t start = ProfileClock();
  options.observe = [&](const Graph& graph, const Node& node, const std::vector<Tensor>&) {
    const uint64_t end = ProfileClock();
    if (&graph != model_.graph.get() || node.Is(kNoTask)) return;
    if (profiled_as_[node.id] == kNoId) {
      profiled_as_[node.id] = static_cast<uint32_t>(profile_->tasks.size());
      Task task;
      task.id = node.id;
      task.op_index = node.id;
      profile_->tasks.push_back(DescribeTask(graph, task));
    }
    profile_->spans.push_back({profile_->runs, profiled_as_[node.id], 1, start, end});
    start = end;
  };
  std::vector<Tensor> results = Evaluate(*model_.graph, std::move(arguments), options);
  ++profile_->runs;
  return results;
}

void DynamicModel::Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DataType dtype = info_.inputs[i].dtype;
    if (const std::string misfit = Misfit(info_.inputs[i], inputs[i].shape); !misfit.empty()) {
      throw Error::Internal("input '" + info_.inputs[i].name + "' " + misfit);
    }
    const size_t least = IsSerialised(dtype) || !inputs[i].shape.IsKnown()
                             ? 0
                             : DataTypeBytes(dtype, inputs[i].shape.NumElements());
    if (!inputs[i].shape.IsKnown() || inputs[i].bytes < least) {
      throw Error::Internal("input '" + info_.inputs[i].name + "' of shape " + ToString(inputs[i].shape) + " has only " +
                            std::to_string(inputs[i].bytes) + " bytes");
    }
  }
  if (StaticModel* plan = FindPlan(inputs)) {
    plan->Execute(inputs, outputs, stream);
  } else {
    RunByOperator(inputs, outputs, stream);
  }
}

void DynamicModel::RunByOperator(std::span<const TensorView> inputs, std::span<TensorView> outputs,
                                 runtime::Stream& stream) {
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DataType dtype = info_.inputs[i].dtype;
    if (IsSerialised(dtype)) {
      const std::span bytes(static_cast<const std::byte*>(inputs[i].data), inputs[i].bytes);
      arguments.push_back(ParseElements(dtype, inputs[i].shape, bytes));
      continue;
    }
    Buffer view;
    view.data = static_cast<std::byte*>(inputs[i].data);
    view.size = inputs[i].bytes;
    arguments.emplace_back(dtype, inputs[i].shape, view);
  }
  const std::vector<Tensor> results =
      profile_ ? EvaluateProfiled(std::move(arguments)) : Evaluate(*model_.graph, std::move(arguments), {.kept = &kept_, .runner = &kernels_});
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& result = results[i];
    outputs[i].shape = result.shape();
    const bool serialised = IsSerialised(result.dtype());
    const std::string record = serialised ? SerialiseElements(result) : std::string();
    const size_t bytes = serialised ? record.size() : result.NumBytes();
    if (outputs[i].data == nullptr && bytes > 0) {
      if (stream.device().Malloc(bytes, &outputs[i].data) != runtime::kOk) {
        throw Error::Internal("the device has no " + std::to_string(bytes) + " bytes for output " + std::to_string(i));
      }
      outputs[i].bytes = bytes;
    }
    if (outputs[i].bytes < bytes) {
      throw Error::Internal("output '" + info_.outputs[i].name + "' needs " + std::to_string(bytes) + " bytes for shape " +
                            ToString(result.shape()) + ", " + std::to_string(outputs[i].bytes) + " were given");
    }
    if (bytes > 0) std::memcpy(outputs[i].data, serialised ? record.data() : result.Data<char>(), bytes);
  }
}

}  // namespace atc
