// Shapes that Reshape, Squeeze and Unsqueeze give. Each function returns an empty string, or what does not fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/shape.h"

namespace atc {

// `target` as Reshape takes it: -1 once for the dim that follows from the rest, 0 for a copy of x's dim (unless
// `allow_zero`), nothing for what is not known. Dims that cannot be told become -1; x may have unknown dims or rank.
std::string ResolveReshape(const Shape& x, const std::vector<std::optional<int64_t>>& target, bool allow_zero,
                           Shape* shape);

// Without `axes`: all dims of size 1, which x must know. Dims at `axes` must be 1 or unknown.
std::string Squeezed(const Shape& x, const std::vector<int64_t>& axes, Shape* shape);

// `axes` count in the result.
std::string Unsqueezed(const Shape& x, const std::vector<int64_t>& axes, Shape* shape);

}  // namespace atc
