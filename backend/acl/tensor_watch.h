// Who is told of a model's runs: the callback of openatcSetTensorCallback, the dump of aclmdlSetDump, profiles.
#pragma once

#include "backend/acl/model_table.h"

namespace atc::acl {

// While it lives, a run of the model tells all who asked for it. Made with model.run held, before the run; cheap when
// nothing has changed since the last one.
class RunWatch {
 public:
  explicit RunWatch(Model& model);
  ~RunWatch();  // the files of a dump are whole then
  RunWatch(const RunWatch&) = delete;

 private:
  Model& model_;
  bool dumps_ = false;
};

}  // namespace atc::acl
