// How far an output is from its reference.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

// One figure to judge by: the elements beyond the tolerance; the sum of |value - reference| over that of |reference|; the
// same of squares, as roots; the largest |value - reference|; 1 - cosine.
enum class Metric { kL0, kL1, kL2, kLInf, kCos };

// What must hold. The tolerance is that of numpy.allclose: |value - reference| <= atol + rtol * |reference|, for every
// element. A cosine limit is checked when it is given; a metric instead of all else.
struct Limits {
  std::optional<double> rtol, atol;  // of all types; one given: the other is 0
  std::optional<double> mincos;
  std::vector<std::pair<aclDataType, double>> rtol_of = {}, atol_of = {};  // of these types, before those of all
  std::optional<Metric> metric = {};
  double threshold = 0;  // the most that the metric may be
};

struct Tolerance {
  double rtol = 0, atol = 0;
};

// That of the element type where no limit is given: what rounding and another order of sums may change. Exact for
// integers, bool and strings.
Tolerance DefaultTolerance(aclDataType type);

struct Comparison {
  bool match = false;
  std::string reason;       // why not; empty on a match
  bool comparable = false;  // same type and shape: the numbers below mean something
  Tolerance tolerance;      // that held
  aclDataType judged_as = ACL_DT_UNDEFINED;  // whose default that is; undefined where a limit was given
  double max_abs = 0;       // largest |value - reference|
  double max_rel = 0;       // largest |value - reference| / |reference| over elements whose reference is not 0
  double cosine = 1;        // of the angle between both, over finite elements; 1 when both are all zero
  double l1 = 0, l2 = 0;    // as Metric says, over finite elements; of a zero reference the sum itself
  uint64_t elements = 0;
  uint64_t outside = 0;     // elements beyond the tolerance
  uint64_t special = 0;     // elements where exactly one is NaN, or an infinity that the other is not
  // The element that is farthest beyond the tolerance, one of `special` before all others; none where all are equal.
  std::optional<Dims> worst;
  double worst_value = 0, worst_reference = 0;
};

// NaN equals NaN, an infinity equals itself. Elements counted as `special` always fail and are left out of the other
// numbers. Integers are subtracted exactly. The real and imaginary parts of complex elements count as two elements.
// `computed_in` is the precision that the model computed the value in; where no limit is given for the type of a
// floating-point value, the default is that of the coarser of both types.
Comparison Compare(const Tensor& value, const Tensor& reference, const Limits& limits,
                   aclDataType computed_in = ACL_DT_UNDEFINED);

// The same for tensors whose types may differ: both are taken as numbers, and the tolerance is that of the coarser type.
Comparison CompareValues(const Tensor& value, const Tensor& reference, const Limits& limits,
                         aclDataType computed_in = ACL_DT_UNDEFINED);

// "max abs 0.5, max rel 0.1, cosine 0.999, worst at [1, 2]: 3 where the reference has 3.5"
std::string DistanceText(const Comparison& comparison);

}  // namespace atc::omrun
