// What the gears of a model differ in.
#pragma once

#include <cstdint>

namespace atc {

// Numbered as the attribute mbatch-dynamic-type.
enum class GearKind : int64_t { kNone = 0, kBatch = 1, kImage = 2, kDims = 3 };

}  // namespace atc
