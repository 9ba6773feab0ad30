// Models that a program holds compiled in memory, by the handles of aclmdlModel.
#pragma once

#include <cstddef>
#include <vector>

#include "backend/acl/handle_table.h"

namespace atc::acl {

struct CompiledModel {
  std::vector<std::byte> om;
};

HandleTable<CompiledModel>& CompiledModels();

}  // namespace atc::acl
