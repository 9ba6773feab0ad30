// Return values of passes. Anything but these two and GRAPH_NOT_CHANGED is a failure with a number of its own.
#pragma once

#include <cstdint>

#include "ge_common/ge_common_api_types.h"
#include "graph/ge_error_codes.h"

namespace ge {

constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFFU;
constexpr Status END_OF_SEQUENCE = 0x50100007U;
constexpr Status PARAM_INVALID = 145000;
constexpr Status NOT_CHANGED = GRAPH_NOT_CHANGED;

}  // namespace ge
