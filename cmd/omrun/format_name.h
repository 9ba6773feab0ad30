// Storage formats by name.
#pragma once

#include <string>

#include "acl/acl.h"

namespace atc::omrun {

// "NCHW"; "format 99" for one without a name here.
std::string FormatName(aclFormat format);

}  // namespace atc::omrun
