// One line an operator family; each is a file of the same name beside this one. Sorted.
#pragma once

#include "compiler/ir/op_def.h"

namespace atc {

void RegisterStructureOps(OpRegistry& registry);

}  // namespace atc
