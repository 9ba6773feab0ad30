// Another path to the same header.
#pragma once

#include "ge_common/ge_common_api_types.h"
