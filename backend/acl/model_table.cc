#include "backend/acl/model_table.h"

#include <vector>

#include "backend/runtime/runtime.h"

namespace atc::acl {
namespace {

aclError Unknown(uint32_t id) {
  return Fail(static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID),
              "there is no model " + std::to_string(id) + ": it was never loaded, or was unloaded");
}

void End(Model& model) {
  std::shared_ptr<LoadedModel> loaded;
  std::lock_guard lock(model.run);
  loaded.swap(model.loaded);
}

}  // namespace

ModelTable& ModelTable::Get() {
  // Never destroyed: a program's own statics may use the API until the process ends.
  static auto* table = new ModelTable;
  return *table;
}

ModelTable::ModelTable() {
  runtime::Runtime::Get().AddReleaseHook([this](int device) { UnloadAll(device); });
}

uint32_t ModelTable::Add(int device, std::shared_ptr<LoadedModel> loaded) {
  auto model = std::make_shared<Model>();
  model->device = device;
  model->signature = std::make_shared<const ModelInfo>(loaded->info());
  model->loaded = std::move(loaded);
  std::lock_guard lock(mutex_);
  model->id = ++last_;
  models_[model->id] = model;
  return model->id;
}

aclError ModelTable::Find(uint32_t id, std::shared_ptr<Model>* out) const {
  std::lock_guard lock(mutex_);
  const auto found = models_.find(id);
  if (found == models_.end()) return Unknown(id);
  *out = found->second;
  return ACL_SUCCESS;
}

aclError ModelTable::Unload(uint32_t id) {
  std::shared_ptr<Model> model;
  {
    std::lock_guard lock(mutex_);
    const auto found = models_.find(id);
    if (found == models_.end()) return Unknown(id);
    model = std::move(found->second);
    models_.erase(found);
  }
  End(*model);
  return ACL_SUCCESS;
}

void ModelTable::UnloadAll(int device) {
  std::vector<std::shared_ptr<Model>> gone;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(models_, [&](const auto& entry) {
      if (entry.second->device != device) return false;
      gone.push_back(entry.second);
      return true;
    });
  }
  for (const auto& model : gone) End(*model);
}

}  // namespace atc::acl
