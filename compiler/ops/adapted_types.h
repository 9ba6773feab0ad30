// Element types that a kernel does not know but that another type stands for.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"

namespace atc {

// Runs `node` where its inputs have such a type; nothing where its kernel takes them as they are (or refuses them).
//   - Padding and tensor scatter move elements: those narrower than a byte take a byte each on their way.
//   - IsNaN and IsInf look at 8-bit floats as floats.
//   - Operators that are linear in their numbers take the real and the imaginary parts of complex ones one by one.
// `run` calls the kernel.
std::optional<std::vector<Tensor>> RunAdapted(
    const Node& node, const std::vector<Tensor>& inputs,
    const std::function<std::vector<Tensor>(std::vector<Tensor> inputs)>& run);

}  // namespace atc
