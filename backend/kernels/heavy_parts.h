// The heavy operator inside one fused node.
#pragma once

#include <limits>
#include <memory>
#include <optional>

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

// Results below `low` become it, those above `high` that; NaN stays.
struct Clip {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  bool clips() const { return low > -std::numeric_limits<float>::infinity() || high < std::numeric_limits<float>::infinity(); }
};

// What follows a heavy operator where that takes no more than an addition and a clip for each result.
struct ShortTail {
  int add = -1;  // the port that is added, whose elements lie as the results do; -1 where none is
  Clip clip;     // of the sum
};

// Of `heavy` in the fused node: an Add, then a clip with constant bounds (Relu, Relu6, ClipByValue), either or both, or
// neither; nothing where there is more.
std::optional<ShortTail> FindShortTail(const KernelSpec& spec, const Node& heavy);

}  // namespace atc::kernels
