#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A Transpose that moves nothing but dims of 1 becomes a Reshape, which needs no task.
bool Dim1TransposeToSqueezePass(Graph& graph, PassContext& context);

}  // namespace atc
