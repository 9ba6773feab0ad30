// The tasks of the plan: on the terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cmd/omrun/slot.h"

namespace atc::omrun {

struct Layer {
  profile::TaskTime task;  // its times are of no meaning here
  std::string kernel;      // the fast kernel that may serve it, or "reference"; empty on a device that does not tell
};

// Runs the model once on these inputs and lists the tasks of each stream, records and waits of events too. Throws RunError.
std::vector<Layer> ListLayers(Model& model, const SlotOptions& options, const std::vector<Tensor>& inputs);

// A line each: stream, task, type, name, inputs and outputs.
std::string LayerTable(const std::vector<Layer>& layers);
// {"layers": [{"name", "type", "taskType", "stream", "task", "event", "inputs", "outputs", "kernel"}, ...]}
std::string LayerJson(const std::vector<Layer>& layers);

}  // namespace atc::omrun
