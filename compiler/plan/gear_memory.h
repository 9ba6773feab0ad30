// Feature memory of a model with gears.
#pragma once

#include "compiler/plan/memory.h"

namespace atc {

// PlanMemory of a root; the copies of its gears, of which one runs at a time, are planned each by itself and overlay each
// other at the begin. What enters or leaves a copy lies where it enters or leaves the model, unless it is part of a larger
// buffer. The bound is that of the largest copy.
MemoryPlan PlanGearMemory(Graph& root, bool reuse, const NoReuse& no_reuse = {});

}  // namespace atc
