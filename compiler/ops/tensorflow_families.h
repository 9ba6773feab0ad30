// Families of operators that models of TensorFlow bring, one line each; each is a file of the same name beside this one.
// Sorted.
#pragma once

#include "compiler/ir/op_def.h"

namespace atc {

void RegisterAscendQuantOps(OpRegistry& registry);
void RegisterBlockCellOps(OpRegistry& registry);
void RegisterLookupTableOps(OpRegistry& registry);
void RegisterRangeQuantizationOps(OpRegistry& registry);
void RegisterSeededRandomOps(OpRegistry& registry);
void RegisterViewTransformOps(OpRegistry& registry);

}  // namespace atc
