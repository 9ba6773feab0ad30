#include "backend/executor/shape_plan.h"

#include <algorithm>
#include <map>

#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/error.h"
#include "compiler/ops/inference.h"
#include "compiler/plan/memory.h"
#include "compiler/plan/parts.h"

namespace atc {
namespace {

// Every value that somebody reads has a known shape and bytes of a fixed size.
bool CanPlan(const Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    for (const ValueId output : node.outputs) {
      const Value& value = graph.value(output);
      if (value.uses.empty() && !(node.type() == "Data")) continue;
      if (!value.desc.shape.IsKnown() || !HasFixedBytes(value.desc.dtype)) return false;
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
      if (!desc.shape.IsKnown() || !HasFixedBytes(desc.dtype)) desc = TensorDesc(DT_UINT8, {0});
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

TaskType TypeOf(const Node& node) {
  if (node.type() == "Send") return TaskType::kEventRecord;
  if (node.type() == "Recv") return TaskType::kEventWait;
  return node.type() == "StreamActive" ? TaskType::kStreamActive : TaskType::kKernel;
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

void AddTasks(OmModel& plan) {
  std::map<int32_t, int32_t> streams;
  std::map<int64_t, int64_t> events;
  Graph& graph = *plan.graph;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (graph.node(id).stream >= 0) streams.emplace(graph.node(id).stream, 0);
  }
  int32_t next = 0;
  for (auto& [stream, number] : streams) number = next++;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (node.stream < 0) continue;
    node.stream = streams[node.stream];
    Task task;
    task.id = static_cast<uint32_t>(plan.tasks.size());
    task.type = TypeOf(node);
    task.stream = static_cast<uint32_t>(node.stream);
    if (task.type == TaskType::kEventRecord || task.type == TaskType::kEventWait) {
      const auto event = node.attrs.Get<int64_t>("event_id", 0);
      task.event = static_cast<uint32_t>(events.try_emplace(event, static_cast<int64_t>(events.size())).first->second);
    } else if (task.type == TaskType::kStreamActive) {
      auto started = node.attrs.Get<std::vector<int64_t>>("active_stream_list", {});
      std::erase_if(started, [&](int64_t stream) { return !streams.contains(static_cast<int32_t>(stream)); });
      for (int64_t& stream : started) stream = streams[static_cast<int32_t>(stream)];
      node.attrs.Set("active_stream_list", std::move(started));
    }
    task.op_index = id;
    plan.tasks.push_back(std::move(task));
  }
  plan.stream_num = std::max<int64_t>(static_cast<int64_t>(streams.size()), 1);
  plan.event_num = static_cast<int64_t>(events.size());
}

bool HasFixedBytes(DataType dtype) { return dtype != DT_STRING && dtype != DT_VARIANT && dtype != DT_UNDEFINED; }

std::unique_ptr<StaticModel> PlanForShapes(const OmModel& model, const Graph& whole, const std::vector<Shape>& shapes,
                                           const LoadOptions& options) {
  OmModel plan;
  plan.name = model.name;
  plan.attrs = model.attrs;
  plan.graph = whole.Clone();
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
  RestoreFormats(whole, graph);
  DescribeUnread(graph);
  graph.Renumber(graph.TopologicalOrder());
  if (!KeepStreams(graph) || model.stream_num <= 1) UseOneStream(graph);
  // Who waited for what has no task now waits for its parts: events beside it stay on their streams.
  MarkNoTask(graph);
  const MemoryPlan memory = PlanMemory(graph, true);
  plan.memory_size = memory.memory_size;
  plan.zero_copy_memory_size = memory.zero_copy_memory_size;
  AddTasks(plan);
  return std::make_unique<StaticModel>(std::move(plan), options);
}

}  // namespace atc
