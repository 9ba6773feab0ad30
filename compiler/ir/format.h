// Storage formats, numbered as ge::Format / aclFormat.
#pragma once

#include <cstdint>
#include <string_view>

namespace atc {

enum Format : int16_t {
  FORMAT_UNDEFINED = -1,
  FORMAT_NCHW = 0,
  FORMAT_NHWC = 1,
  FORMAT_ND = 2,
  FORMAT_NC1HWC0 = 3,
  FORMAT_FRACTAL_Z = 4,
  FORMAT_HWCN = 16,
  FORMAT_NDHWC = 27,
  FORMAT_FRACTAL_NZ = 29,
  FORMAT_NCDHW = 30,
  FORMAT_NDC1HWC0 = 32,
  FORMAT_FRACTAL_Z_3D = 33,
};

// "NC1HWC0"; "RESERVED" for FORMAT_UNDEFINED.
std::string_view FormatName(Format format);
// The inverse; FORMAT_UNDEFINED when unknown. Case-sensitive.
Format FormatFromName(std::string_view name);

}  // namespace atc
