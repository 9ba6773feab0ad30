#include "backend/executor/profile.h"

#include <time.h>

namespace atc {
namespace {

struct EngineRow {
  std::string_view engine;
  std::string_view task_type;
};

constexpr EngineRow kEngines[] = {
    {"DNN_HCCL", "HCCL"},
    {"DNN_VM_AICPU", "AI_CPU"},
    {"DNN_VM_AICPU_ASCEND", "AI_CPU"},
    {"DNN_VM_GE_LOCAL", "GE_LOCAL"},
    {"DNN_VM_HOST_CPU", "HOST_CPU"},
    {"DNN_VM_RTS", "RTS"},
};

std::string TaskTypeOf(const Node& node) {
  for (const EngineRow& row : kEngines) {
    if (row.engine == node.engine) return std::string(row.task_type);
  }
  return node.def->unit == Unit::kCube || node.Is(kHeavy) ? "AI_CORE" : "AI_VECTOR_CORE";
}

std::string Dims(const Shape& shape) {
  std::string text;
  if (!shape.HasRank()) return text;
  for (size_t i = 0; i < shape.rank(); ++i) text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  return text;
}

void AddPort(const Graph& graph, ValueId value, bool first, std::string* shapes, std::string* types, std::string* formats) {
  for (std::string* list : {shapes, types, formats}) *list += first ? "" : ";";
  if (value == kNoId) return;
  const TensorDesc& desc = graph.desc(value);
  *shapes += Dims(desc.shape);
  *types += DataTypeName(desc.dtype).substr(3);  // without "DT_"
  *formats += FormatName(desc.format);
}

}  // namespace

uint64_t ProfileClock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

TaskDescription DescribeTask(const Graph& graph, const Task& task) {
  const Node& node = graph.node(task.op_index);
  TaskDescription text;
  text.id = task.id;
  text.stream = task.stream;
  text.op_name = node.name;
  text.op_type = node.type().str();
  if (task.type != TaskType::kKernel) {
    text.kind = task.type == TaskType::kEventRecord ? SpanKind::kRecord : SpanKind::kWait;
    text.event = task.event;
    text.task_type = task.type == TaskType::kEventRecord ? "EVENT_RECORD" : "EVENT_WAIT";
    return text;
  }
  text.task_type = TaskTypeOf(node);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    AddPort(graph, node.inputs[i], i == 0, &text.input_shapes, &text.input_types, &text.input_formats);
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    AddPort(graph, node.outputs[i], i == 0, &text.output_shapes, &text.output_types, &text.output_formats);
  }
  return text;
}

}  // namespace atc
