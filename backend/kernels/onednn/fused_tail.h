// What follows a heavy operator inside one fused node.
#pragma once

#include <memory>

#include "backend/kernels/elementwise_program.h"
#include "backend/kernels/kernel.h"

namespace atc::kernels {

// The heavy operator of a node (itself when it is not fused), its ports in the operator's own order, and the program of
// what follows it.
struct HeavyParts {
  const Node* heavy = nullptr;
  std::vector<int> ports;  // outer port of each input of `heavy`, -1 where absent
  bool relu = false;       // the whole tail is one Relu: no program needed
  std::unique_ptr<ElementwiseProgram> tail;  // nullptr when there is none
  bool fits = false;                         // false: something in the tail has no fast way
};

HeavyParts SplitHeavy(const KernelSpec& spec);

}  // namespace atc::kernels
