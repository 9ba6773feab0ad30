// The outputs of all nodes of one run, as a folder: a .npy file each, and index.json.
#pragma once

#include <string>
#include <vector>

#include "cmd/omrun/output_files.h"
#include "cmd/omrun/slot.h"

namespace atc::omrun {

struct DumpedTensor {
  uint64_t order = 0;  // of the task in the plan
  std::string node, type;
  std::vector<std::string> origins;  // nodes of the source model, in their order
  uint64_t output = 0;
  std::string dtype, format, storage_format;
  Dims shape;
  uint64_t stream = 0, task = 0;
  std::string file;  // in the folder
};

// Runs the model once on these inputs and writes what its nodes make into the folder; `nodes` are those that are meant,
// by their names or those of the source model, all if there are none. Throws RunError, also for names that are none and on
// a device that cannot tell.
void DumpTensors(Model& model, const SlotOptions& options, const std::vector<Tensor>& inputs, const std::string& folder,
                 const std::vector<std::string>& nodes, OutputFiles* files);

// The entries of a folder's index.json, in the order of the plan. Throws RunError.
std::vector<DumpedTensor> ReadDump(const std::string& folder);

}  // namespace atc::omrun
