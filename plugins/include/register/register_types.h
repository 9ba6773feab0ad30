// The marks under the path of the registration headers.
#pragma once

#include "graph/compiler_def.h"
