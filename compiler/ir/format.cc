#include "compiler/ir/format.h"

#include <utility>

#include "compiler/ir/blocked_formats.h"

namespace atc {
namespace {

constexpr std::pair<Format, std::string_view> kNames[] = {
    {FORMAT_NCHW, "NCHW"},           {FORMAT_NHWC, "NHWC"},
    {FORMAT_ND, "ND"},               {FORMAT_NC1HWC0, "NC1HWC0"},
    {FORMAT_FRACTAL_Z, "FRACTAL_Z"}, {FORMAT_HWCN, "HWCN"},
    {FORMAT_NDHWC, "NDHWC"},         {FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {FORMAT_NCDHW, "NCDHW"},         {FORMAT_NDC1HWC0, "NDC1HWC0"},
    {FORMAT_FRACTAL_Z_3D, "FRACTAL_Z_3D"}, {FORMAT_NC1HWC0_C04, "NC1HWC0_C04"},
    {FORMAT_FRACTAL_Z_C04, "FRACTAL_Z_C04"},
};

}  // namespace

std::string_view FormatName(Format format) {
  for (const auto& [value, name] : kNames) {
    if (value == format) return name;
  }
  return "RESERVED";
}

Format FormatFromName(std::string_view name) {
  for (const auto& [value, text] : kNames) {
    if (text == name) return value;
  }
  return FORMAT_UNDEFINED;
}

}  // namespace atc
