// The checksum that our oms carry in the header field that the vendor's tools leave at zero.
#pragma once

#include <cstdint>
#include <string_view>

namespace atc {

// Over header and table without checksums (`prefix`) and the three small partitions: everything but the weights, which
// have a checksum of their own.
uint64_t OmChecksum(std::string_view prefix, std::string_view inout_info, std::string_view model_def,
                    std::string_view task_info);

}  // namespace atc
