// One line an operator family; each is a file of the same name beside this one. Sorted.
#pragma once

#include "compiler/ir/op_def.h"

namespace atc {

void RegisterActivationOps(OpRegistry& registry);
void RegisterCompareOps(OpRegistry& registry);
void RegisterElementwiseBinaryOps(OpRegistry& registry);
void RegisterElementwiseUnaryOps(OpRegistry& registry);
void RegisterReductionOps(OpRegistry& registry);
void RegisterStructureOps(OpRegistry& registry);

}  // namespace atc
