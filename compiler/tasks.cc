#include "compiler/tasks.h"

#include <filesystem>
#include <string>

#include "compiler/ir/framework.h"

namespace atc {
namespace {

// Version of the task's private part.
constexpr char kPrivateVersion = 1;

TaskType TypeOf(const Node& node) {
  if (node.type() == "Send") return TaskType::kEventRecord;
  if (node.type() == "Recv") return TaskType::kEventWait;
  if (node.type() == "StreamActive") return TaskType::kStreamActive;
  return TaskType::kKernel;
}

}  // namespace

std::vector<Task> GenerateTasks(const Graph& graph) {
  std::vector<Task> tasks;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.stream < 0) continue;
    Task task;
    task.type = TypeOf(node);
    task.id = static_cast<uint32_t>(tasks.size());
    task.stream = static_cast<uint32_t>(node.stream);
    if (task.type == TaskType::kEventRecord || task.type == TaskType::kEventWait) task.event = static_cast<uint32_t>(node.Attr<int64_t>("event_id"));
    task.op_index = id;
    task.private_def = std::string(1, kPrivateVersion);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

void SetModelAttributes(const Graph& graph, const CompileOptions& options, std::vector<std::string> output_names,
                        OmModel* model) {
  // The name in the model is the base name of --output.
  model->name = std::filesystem::path(options.output_path).filename().string();
  if (model->name.empty()) model->name = graph.name;
  model->compress_attributes = options.compress_attributes;
  model->attrs.Set("atc_cmdline", options.atc_cmdline);
  model->attrs.Set("atc_version", OPENATC_VERSION);
  model->attrs.Set("core_type", "AiCore");
  if (const auto* framework = graph.attrs.FindAs<std::string>(kFrameworkAttr)) model->attrs.Set(kFrameworkAttr, *framework);
  model->attrs.Set("soc_version", options.soc_version);
  model->attrs.Set("attr_model_out_nodes_name", std::move(output_names));
}

}  // namespace atc
