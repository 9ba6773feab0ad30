// What inference hands from operator to operator beside descriptions: nothing in this compiler, whose own inference
// knows resources and sequences by their values. Sources that pass one on compile.
#pragma once

#include <memory>

namespace ge {

class InferenceContext {};
using InferenceContextPtr = std::shared_ptr<InferenceContext>;

}  // namespace ge
