#include "backend/acl/model_table.h"

#include <algorithm>
#include <vector>

#include "backend/acl/prof_session.h"
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
  KeepProfile(model);
  EndSubscription(model);
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

aclError ModelTable::Unload(uint32_t id, bool of_bundle) {
  std::shared_ptr<Model> model;
  {
    std::lock_guard lock(mutex_);
    const auto found = models_.find(id);
    if (found == models_.end()) return Unknown(id);
    if (found->second->bundle != 0 && !of_bundle) {
      return Fail(ACL_ERROR_INVALID_PARAM, "model " + std::to_string(id) + " goes with its bundle (aclmdlBundleUnload)");
    }
    if (const auto bundle = bundles_.find(found->second->bundle); bundle != bundles_.end()) {
      std::replace(bundle->second.begin(), bundle->second.end(), id, 0u);
    }
    model = std::move(found->second);
    models_.erase(found);
  }
  End(*model);
  return ACL_SUCCESS;
}

namespace {

aclError NoBundle(uint32_t id) {
  return Fail(ACL_ERROR_INVALID_BUNDLE_MODEL_ID, "there is no bundle " + std::to_string(id));
}

}  // namespace

uint32_t ModelTable::AddBundle(size_t models) {
  std::lock_guard lock(mutex_);
  bundles_[++last_bundle_].resize(models);
  return last_bundle_;
}

aclError ModelTable::CheckBundle(uint32_t bundle) const {
  std::lock_guard lock(mutex_);
  return bundles_.count(bundle) > 0 ? ACL_SUCCESS : NoBundle(bundle);
}

uint32_t ModelTable::ModelOf(uint32_t bundle, size_t index) const {
  std::lock_guard lock(mutex_);
  const auto found = bundles_.find(bundle);
  return found == bundles_.end() || index >= found->second.size() ? 0 : found->second[index];
}

bool ModelTable::Holds(uint32_t bundle, uint32_t model) const {
  std::lock_guard lock(mutex_);
  const auto found = bundles_.find(bundle);
  return found != bundles_.end() && model != 0 &&
         std::find(found->second.begin(), found->second.end(), model) != found->second.end();
}

aclError ModelTable::Join(uint32_t bundle, size_t index, uint32_t model) {
  std::lock_guard lock(mutex_);
  if (bundles_.count(bundle) == 0) return NoBundle(bundle);
  const auto found = models_.find(model);
  if (found == models_.end()) return Unknown(model);
  if (bundles_[bundle][index] != 0) {
    return Fail(static_cast<aclError>(ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED),
                "model " + std::to_string(index) + " of bundle " + std::to_string(bundle) + " is loaded already");
  }
  found->second->bundle = bundle;
  bundles_[bundle][index] = model;
  return ACL_SUCCESS;
}

aclError ModelTable::RemoveBundle(uint32_t bundle) {
  std::vector<uint32_t> models;
  {
    std::lock_guard lock(mutex_);
    const auto found = bundles_.find(bundle);
    if (found == bundles_.end()) return NoBundle(bundle);
    models = std::move(found->second);
    bundles_.erase(found);
  }
  for (const uint32_t model : models) {
    if (model != 0) Unload(model, true);
  }
  return ACL_SUCCESS;
}

std::vector<std::shared_ptr<Model>> ModelTable::All() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Model>> all;
  for (const auto& [id, model] : models_) all.push_back(model);
  return all;
}

void ModelTable::UnloadAll(int device) {
  std::vector<std::shared_ptr<Model>> gone;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(models_, [&](const auto& entry) {
      if (entry.second->device != device) return false;
      gone.push_back(entry.second);
      if (const auto bundle = bundles_.find(entry.second->bundle); bundle != bundles_.end()) {
        std::replace(bundle->second.begin(), bundle->second.end(), entry.first, 0u);
      }
      return true;
    });
  }
  for (const auto& model : gone) End(*model);
}

}  // namespace atc::acl
