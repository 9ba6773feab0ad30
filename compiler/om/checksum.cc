#include "compiler/om/checksum.h"

#include "compiler/om/hash.h"

namespace atc {

uint64_t OmChecksum(std::string_view prefix, std::string_view inout_info, std::string_view model_def,
                    std::string_view task_info) {
  uint64_t hash = Hash64(prefix);
  hash = Hash64(inout_info, hash);
  hash = Hash64(model_def, hash);
  return Hash64(task_info, hash);
}

}  // namespace atc
