// Inference rules that many operators share.
#pragma once

#include "compiler/ir/infer_context.h"

namespace atc {

// Every output is described as input 0.
void InferSameAsInput(InferContext& ctx);
// One output: the broadcast of all inputs, dtype of input 0. Fails naming both shapes when they do not broadcast.
void InferBroadcast(InferContext& ctx);
// The same with dtype bool.
void InferBroadcastBool(InferContext& ctx);

// `axis` counted from the start; fails when it is outside [-rank, rank).
int64_t NormalizeAxis(const InferContext& ctx, int64_t axis, size_t rank);

}  // namespace atc
