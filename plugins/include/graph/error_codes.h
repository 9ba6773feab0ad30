// The newer name of ge_error_codes.h.
#pragma once

#include "graph/ge_error_codes.h"
