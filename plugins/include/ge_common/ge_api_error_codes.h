// Return values of passes: 0 is success, everything else a failure.
#pragma once

#include <cstdint>

namespace ge {

using Status = uint32_t;

constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFFU;
constexpr Status PARAM_INVALID = 145000;

}  // namespace ge
