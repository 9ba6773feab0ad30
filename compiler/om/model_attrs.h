// The attributes of the model that are fields of OmModel, or follow from them.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/om/om_model.h"

namespace openatc::ge {
class ModelDef;
}

namespace atc {

// Sizes that mode 6 prints: weights, kernels (none), task info, shared objects (none).
struct PartitionBytes {
  int64_t weights = 0;
  int64_t tasks = 0;
};

// All attributes, made ones included.
void ModelAttrsToProto(const OmModel& model, const PartitionBytes& sizes, openatc::ge::ModelDef* to);

// Takes the fields and leaves the made ones out. Throws BadMessage.
void ModelAttrsFromProto(const openatc::ge::ModelDef& from, OmModel* model);

}  // namespace atc
