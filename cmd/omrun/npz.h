// NumPy's .npz archives: zip files, stored or deflated, of .npy members.
#pragma once

#include <string>
#include <vector>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

// All arrays in the order of the archive; each bears its name without ".npy". Members that are no .npy are an error,
// as are encrypted ones. Throws RunError without the file's name.
std::vector<FileTensor> ReadNpz(const std::string& path);

}  // namespace atc::omrun
