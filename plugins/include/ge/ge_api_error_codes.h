// Another path to the same header.
#pragma once

#include "ge_common/ge_api_error_codes.h"
