// Tasks and the TASK_INFO partition.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/om/graph_list.h"
#include "compiler/om/om_model.h"

namespace atc {

// The partition's bytes. Task::op_index becomes the OpDef.id in the main graph of `graphs`.
std::string TaskInfo(const OmModel& model, const GraphList& graphs);

// The inverse, for a graph of `num_nodes` whose node ids are the OpDef ids. Throws BadMessage; E10041 is the caller's.
std::vector<Task> ParseTaskInfo(std::string_view bytes, const OmModel& model, size_t num_nodes);

}  // namespace atc
