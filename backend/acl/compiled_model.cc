#include "backend/acl/compiled_model.h"

#include "backend/acl/guard.h"
#include "backend/acl/include/acl/openatc_ext.h"

namespace atc::acl {

HandleTable<CompiledModel>& CompiledModels() {
  static auto* table = new HandleTable<CompiledModel>(HandleKind::kCompiledModel);
  return *table;
}

}  // namespace atc::acl

using namespace atc::acl;

aclError openatcCreateModel(const void* om, size_t omSize, aclmdlModel* model) {
  return Guard([&]() -> aclError {
    if (model == nullptr) return NullArgument("model");
    size_t work = 0;
    size_t weight = 0;
    // Reads it as far as it must be right to be loaded.
    if (const aclError code = aclmdlQuerySizeFromMem(om, omSize, &work, &weight); code != ACL_SUCCESS) return code;
    const auto* bytes = static_cast<const std::byte*>(om);
    *model = CompiledModels().Add(std::make_shared<CompiledModel>(CompiledModel{{bytes, bytes + omSize}}));
    return ACL_SUCCESS;
  });
}

aclError openatcDestroyModel(const aclmdlModel* model) {
  return Guard([&]() -> aclError {
    if (model == nullptr) return NullArgument("model");
    return CompiledModels().Remove(*model) ? ACL_SUCCESS : BadHandle("model", "a compiled model");
  });
}
