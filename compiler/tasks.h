// From a placed graph to the task list and the attributes of the om.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"
#include "compiler/om/om_model.h"

namespace atc {

// One task a node that has a stream, in launch order (the order of ids).
std::vector<Task> GenerateTasks(const Graph& graph);

// soc_version, framework_type, atc_cmdline, names of outputs and the like.
void SetModelAttributes(const Graph& graph, const CompileOptions& options, std::vector<std::string> output_names,
                        OmModel* model);

}  // namespace atc
