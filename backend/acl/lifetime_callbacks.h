// What other libraries of a process want to do when the API starts and ends.
#pragma once

#include <string>

#include "backend/acl/include/acl/acl_rt.h"

namespace atc::acl {

// All of them, in the order in which they were registered; the first code that is not 0.
aclError CallAtInit(const std::string& config);
aclError CallAtFinalize();
// The configuration that callbacks registered from now on are called with at once; "" with `started` false: not started.
void NoteStarted(bool started, const std::string& config);

}  // namespace atc::acl
