// Families whose operators few models have, most of them from TensorFlow; as families.h, one line a file beside this one.
#pragma once

#include "compiler/ir/op_def.h"

namespace atc {

void RegisterColorOps(OpRegistry& registry);
void RegisterCrossEntropyOps(OpRegistry& registry);
void RegisterDiagonalOps(OpRegistry& registry);
void RegisterMatrixSolveOps(OpRegistry& registry);
void RegisterPatchesOps(OpRegistry& registry);
void RegisterRowsOps(OpRegistry& registry);
void RegisterSpecialFunctionsOps(OpRegistry& registry);

}  // namespace atc
