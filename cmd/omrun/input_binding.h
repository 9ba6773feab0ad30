// From the command line's --input and --shape to one tensor for each input of the model.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/omrun/session.h"

namespace atc::omrun {

struct Options;

struct BoundInput {
  Tensor tensor;
  std::string source;  // the file, or "random data, seed 0"
};

// The input that an argument NAME=REST names, and REST. It is split at the first '=' whose left side is an input's
// name; an argument without one goes by position as a whole, so files and inputs may both have '=' in their names.
std::pair<std::optional<size_t>, std::string> SplitArgument(const std::string& argument,
                                                            const std::vector<TensorInfo>& inputs);

// One tensor for each input, checked against the signature. Throws RunError that names the input, the expected and
// found shape, element type and bytes.
std::vector<BoundInput> BindInputs(const std::vector<TensorInfo>& inputs, const Options& options);

}  // namespace atc::omrun
