// How far an output is from its reference.
#pragma once

#include <optional>
#include <string>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

// What must hold. The tolerance is that of numpy.allclose: |value - reference| <= atol + rtol * |reference|, for every
// element. A cosine limit is checked when it is given.
struct Limits {
  std::optional<double> rtol, atol;  // one given: the other is 0; none and no mincos: 1e-3 and 1e-4
  std::optional<double> mincos;
};

struct Comparison {
  bool match = false;
  std::string reason;       // why not; empty on a match
  bool comparable = false;  // same type and shape: the numbers below mean something
  double max_abs = 0;       // largest |value - reference|
  double max_rel = 0;       // largest |value - reference| / |reference| over elements whose reference is not 0
  double cosine = 1;        // of the angle between both, over finite elements; 1 when both are all zero
  uint64_t outside = 0;     // elements beyond the tolerance
  uint64_t special = 0;     // elements where exactly one is NaN, or an infinity that the other is not
};

// NaN equals NaN, an infinity equals itself. Elements counted as `special` always fail and are left out of the other
// numbers. Integers are subtracted exactly. The real and imaginary parts of complex elements count as two elements.
Comparison Compare(const Tensor& value, const Tensor& reference, const Limits& limits);

}  // namespace atc::omrun
