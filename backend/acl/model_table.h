// The loaded models by id, and what the aclmdl calls share.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/acl/guard.h"
#include "backend/executor/model.h"
#include "backend/executor/observe.h"
#include "backend/executor/profile.h"

namespace atc::acl {

struct Model {
  uint32_t id = 0;
  int device = 0;
  std::shared_ptr<const ModelInfo> signature;  // as it was at load: outlives the model and needs no lock
  std::atomic<size_t> gear{SIZE_MAX};          // that was chosen last, for aclmdlGetCurOutputDims; SIZE_MAX: none
  std::atomic<uint32_t> priority{0};           // kept and given back: runs of all models share the cores
  uint32_t bundle = 0;                         // that it belongs to; 0: none
  std::mutex run;                              // held for a run and for unloading: one at a time
  std::shared_ptr<LoadedModel> loaded;         // null once unloaded; under `run`
  std::unique_ptr<RunProfile> profile;         // null unless it is being profiled; under `run`
  bool profiled_by_session = false;            // of aclprofStart: `profile` is its; under `run`
  int subscription = -1;                       // pipe of aclprofModelSubscribe; under `run`
  NodeObserver watcher;                        // of openatcSetTensorCallback; under `run`
  uint64_t watched = 0;                        // what the runs are told to now, for WatchRun; under `run`
  uint64_t dumped_runs = 0;                    // under `run`
};

class ModelTable {
 public:
  static ModelTable& Get();

  // Ids start at 1 and are never given twice.
  uint32_t Add(int device, std::shared_ptr<LoadedModel> loaded);
  // A bundle is an id of its own that stands for some models. 148053 for an id that is none.
  uint32_t AddBundle(size_t models);
  aclError CheckBundle(uint32_t bundle) const;
  // The index-th model of the bundle, 0 while it is not loaded.
  uint32_t ModelOf(uint32_t bundle, size_t index) const;
  // Whether the model is loaded as one of the bundle's.
  bool Holds(uint32_t bundle, uint32_t model) const;
  aclError Join(uint32_t bundle, size_t index, uint32_t model);
  aclError RemoveBundle(uint32_t bundle);
  // 145003 for an id that is none.
  aclError Find(uint32_t id, std::shared_ptr<Model>* out) const;
  // 100000 for one that belongs to a bundle, unless `of_bundle`. Waits for a run that is under way; one that is still
  // queued then fails. 145003 for an id that is none.
  aclError Unload(uint32_t id, bool of_bundle = false);
  // By id.
  std::vector<std::shared_ptr<Model>> All() const;
  // All models of a device.
  void UnloadAll(int device);

 private:
  ModelTable();

  mutable std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<Model>> models_;
  std::map<uint32_t, std::vector<uint32_t>> bundles_;  // models by bundle, 0 for those that are not loaded
  uint32_t last_ = 0;
  uint32_t last_bundle_ = 0;
};

}  // namespace atc::acl
