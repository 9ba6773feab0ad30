// The public headers are clean C++17, alone and in any order.
#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"
#include "header_sizes.h"

static_assert(ACL_ERROR_RT_PARAM_INVALID == 107000 && ACL_ERROR_GE_PARAM_INVALID == 145000U);

extern "C" int openatc_headers_cxx17() { return aclInit(nullptr) == ACL_SUCCESS && aclFinalize() == ACL_ERROR_NONE; }
