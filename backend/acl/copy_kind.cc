#include "backend/acl/copy_kind.h"

#include "backend/runtime/runtime.h"

namespace atc::acl {
namespace {

enum class Side { kAny, kHost, kDevice };

struct KindRow {
  const char* name;
  Side dst;
  Side src;
};

// By aclrtMemcpyKind.
constexpr KindRow kKinds[] = {
    {"ACL_MEMCPY_HOST_TO_HOST", Side::kHost, Side::kHost},
    {"ACL_MEMCPY_HOST_TO_DEVICE", Side::kDevice, Side::kHost},
    {"ACL_MEMCPY_DEVICE_TO_HOST", Side::kHost, Side::kDevice},
    {"ACL_MEMCPY_DEVICE_TO_DEVICE", Side::kDevice, Side::kDevice},
    {"ACL_MEMCPY_DEFAULT", Side::kAny, Side::kAny},
    {"ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE", Side::kDevice, Side::kHost},
    {"ACL_MEMCPY_INNER_DEVICE_TO_DEVICE", Side::kDevice, Side::kDevice},
    {"ACL_MEMCPY_INTER_DEVICE_TO_DEVICE", Side::kDevice, Side::kDevice},
};

const char* NameOf(Side side) { return side == Side::kHost ? "host memory" : "device memory (aclrtMalloc)"; }

aclError CheckSide(const std::string& who, Side said, const void* address, const char* side) {
  const auto found = runtime::Runtime::Get().memory().Find(address);
  if (said == Side::kAny || (found && found->registered > 0)) return ACL_SUCCESS;
  const Side is = found && found->kind == runtime::MemoryKind::kDevice ? Side::kDevice : Side::kHost;
  if (is == said) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_PARAM_INVALID, who + " wants " + NameOf(said) + " as the " + side + ", whose address is " + NameOf(is) +
                                              "; correct it, or leave it to the addresses (ACL_MEMCPY_DEFAULT)");
}

}  // namespace

aclError CheckKind(aclrtMemcpyKind kind) {
  if (kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE) return ACL_SUCCESS;
  return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclrtMemcpyKind " + std::to_string(static_cast<int>(kind)));
}

aclError CheckKindFits(aclrtMemcpyKind kind, const void* dst, const void* src) {
  const KindRow& row = kKinds[kind];
  if (row.dst == Side::kAny) return ACL_SUCCESS;
  if (const aclError code = CheckSide(row.name, row.dst, dst, "destination"); code != ACL_SUCCESS) return code;
  return CheckSide(row.name, row.src, src, "source");
}

aclError CheckLocationFits(aclrtMemLocationType said, const void* address, const char* side) {
  return CheckSide("the attribute of the copy", said == ACL_MEM_LOCATION_TYPE_DEVICE ? Side::kDevice : Side::kHost, address, side);
}

}  // namespace atc::acl
