// What an om says of itself in a few numbers; for --mode=6 and for programs that look before they load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc {

struct OmSummary {
  // Empty where the om does not say.
  std::string atc_cmdline;
  std::string atc_version;
  std::string soc_version;
  std::string framework_type;
  // -1 where the om does not say. Sizes in bytes.
  int64_t memory_size = -1;
  int64_t weight_size = -1;
  int64_t stream_num = -1;
  int64_t event_num = -1;
  int64_t modeldef_size = 0;
  // Bytes of weights, tbe kernels, aicpu kernels, task info, shared objects; empty where the om does not say.
  std::vector<int64_t> om_info_list;
  // "dynamic_batch_size[1; 2; 4]" of a model with gears, else empty.
  std::string gears;
  // The files beside the om that hold weights, relative to its folder; sorted.
  std::vector<std::string> weight_files;
};

// Reads an om of any maker; of a file with several models, the first one. Errors: E10041 (parameter, reason) for what
// is no om, E13001, E13003.
OmSummary ReadOmSummary(const std::string& path);

}  // namespace atc
