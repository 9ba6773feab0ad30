// Whether what a copy says of its sides is what their addresses are.
#pragma once

#include "backend/acl/guard.h"
#include "backend/acl/include/acl/acl_rt.h"

namespace atc::acl {

// 100000 for a number that is no kind.
aclError CheckKind(aclrtMemcpyKind kind);
// 107000 where the kind wants device memory and the address is memory of the host, or the other way round. Ordinary memory
// and that of aclrtMallocHost are the host's; memory that was registered is both. ACL_MEMCPY_DEFAULT fits all.
aclError CheckKindFits(aclrtMemcpyKind kind, const void* dst, const void* src);
// The same for one side of a copy of a batch.
aclError CheckLocationFits(aclrtMemLocationType said, const void* address, const char* side);

}  // namespace atc::acl
