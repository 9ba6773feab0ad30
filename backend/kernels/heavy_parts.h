// The heavy operator inside one fused node.
#pragma once

#include <memory>

#include "backend/kernels/elementwise_program.h"
#include "backend/kernels/kernel.h"

namespace atc::kernels {

// The heavy operator of a node (itself when it is not fused) and its ports in the operator's own order.
struct HeavyParts {
  const Node* heavy = nullptr;
  std::vector<int> ports;  // outer port of each input of `heavy`, -1 where absent
  std::unique_ptr<ElementwiseProgram> tail;  // what follows, where the primitive does not do it itself
  bool fits = false;  // false: an input of the heavy operator is made inside of the node
};

HeavyParts SplitHeavy(const KernelSpec& spec);

}  // namespace atc::kernels
