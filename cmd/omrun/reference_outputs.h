// The outputs of an earlier run, to compare with.
#pragma once

#include <string>
#include <vector>

#include "cmd/omrun/session.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {

// "out_3.npy"
std::string OutputFileName(size_t index, OutputFormat format);

// Text of outputs.json: a list with name, shape, dtype and file of each output, in the model's order.
std::string FormatOutputsJson(const std::vector<TensorInfo>& infos, const std::vector<Tensor>& outputs,
                              OutputFormat format);

// Throws RunError unless the name is empty or that of a folder, so that a wrong one is told before the run.
void CheckReferenceFolder(const std::string& folder);

// Reads out_<i>.npy, .bin or .txt, whichever is there, for each of `outputs`. Raw and text files take their type and
// shape from outputs.json beside them, else from `outputs`. Throws RunError naming the file, or what is missing; a
// folder with more outputs than the model has is refused too.
std::vector<Tensor> ReadReferenceOutputs(const std::string& folder, const std::vector<Tensor>& outputs);

}  // namespace atc::omrun
