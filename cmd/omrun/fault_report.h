// What a failed run leaves behind with --dump_on_error.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cmd/omrun/model.h"
#include "cmd/omrun/slot.h"

namespace atc::omrun {

// From here on the device's first failure is kept: which task of which stream. No effect where the device cannot tell.
void ListenForFaults(const Backend& acl);

struct FailedRun {
  std::string model, sample, message;
  const std::vector<TensorInfo>* infos = nullptr;
  const std::vector<Tensor>* inputs = nullptr;
};

// Writes into the folder: input_0.npy, ... of the run; error.json with message, device, stream, task and code; and in
// nodes/, where the device can tell, the outputs of the nodes that a second run of these inputs reaches. Throws RunError
// where the folder cannot be written to.
void WriteFault(Model& model, const SlotOptions& options, const FailedRun& run, const std::string& folder);

}  // namespace atc::omrun
