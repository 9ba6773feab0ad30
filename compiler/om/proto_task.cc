#include "compiler/om/proto_task.h"

#include <fmt/format.h>

#include "compiler/ir/error.h"
#include "compiler/om/proto/task.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/serialize.h"

namespace atc {
namespace {

namespace pb = openatc::domi;

// EventExDef.event_type of the task that records an event and of the one that waits for it.
constexpr uint32_t kSendEvent = 1;
constexpr uint32_t kRecvEvent = 2;

bool IsEvent(TaskType type) { return type == TaskType::kEventRecord || type == TaskType::kEventWait; }

}  // namespace

std::string TaskInfo(const OmModel& model, const GraphList& graphs) {
  const ListedGraph& main = graphs.all()[0];
  pb::ModelTaskDef message;
  message.set_memory_size(static_cast<uint64_t>(model.memory_size));
  message.set_stream_num(static_cast<uint32_t>(model.stream_num));
  message.set_event_num(static_cast<uint32_t>(model.event_num));
  for (const Task& task : model.tasks) {
    pb::TaskDef& to = *message.add_task();
    to.set_id(task.id);
    to.set_type(static_cast<uint32_t>(task.type));
    to.set_stream_id(task.stream);
    to.set_private_def(task.private_def);
    if (IsEvent(task.type)) to.set_event_id(task.event);
    if (task.op_index == kNoId) continue;
    if (task.op_index >= main.place.size() || main.place[task.op_index] == kNoId) {
      throw Error::Internal(
          fmt::format("task {} names node {}, which the graph does not have", task.id, task.op_index));
    }
    const uint32_t op = main.first_id + main.place[task.op_index];
    if (IsEvent(task.type)) {
      to.mutable_event_ex()->set_op_index(op);
      to.mutable_event_ex()->set_event_type(task.type == TaskType::kEventRecord ? kSendEvent : kRecvEvent);
    } else {
      to.mutable_kernel()->mutable_context()->set_op_index(op);
    }
  }
  return Serialize(message, "TASK_INFO");
}

std::vector<Task> ParseTaskInfo(std::string_view bytes, const OmModel& model, size_t num_nodes) {
  pb::ModelTaskDef message;
  if (!Parse(bytes, &message)) throw BadMessage{"bytes that are no task list; expected a ModelTaskDef message"};
  std::vector<Task> tasks;
  for (const pb::TaskDef& from : message.task()) {
    Task& task = tasks.emplace_back();
    task.type = static_cast<TaskType>(from.type());
    task.id = from.id();
    task.stream = from.stream_id();
    task.event = from.event_id();
    task.private_def = from.private_def();
    const bool event = IsEvent(task.type);
    if (event ? from.has_event_ex() : from.kernel().has_context()) {
      task.op_index = event ? from.event_ex().op_index() : from.kernel().context().op_index();
      if (task.op_index >= num_nodes) {
        throw BadMessage{fmt::format("a task of operator {}, there are {}", task.op_index, num_nodes)};
      }
    }
    if (task.stream >= model.stream_num) {
      throw BadMessage{fmt::format("a task on stream {}, there are {}", task.stream, model.stream_num)};
    }
    if (event && task.event >= model.event_num) {
      throw BadMessage{fmt::format("a task of event {}, there are {}", task.event, model.event_num)};
    }
  }
  return tasks;
}

}  // namespace atc
