// Another path to the same header.
#pragma once

#include "register/register_custom_pass.h"
