#include "cmd/omrun/format_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace atc::omrun {
namespace {

struct Row {
  aclFormat format;
  const char* name;
};
constexpr Row kRows[] = {
    {ACL_FORMAT_NCHW, "NCHW"},   {ACL_FORMAT_NHWC, "NHWC"},   {ACL_FORMAT_ND, "ND"},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0"}, {static_cast<aclFormat>(12), "NC1HWC0_C04"}, {ACL_FORMAT_HWCN, "HWCN"},
    {ACL_FORMAT_NDHWC, "NDHWC"}, {ACL_FORMAT_FRACTAL_NZ, "FRACTAL_NZ"}, {ACL_FORMAT_NCDHW, "NCDHW"},
    {ACL_FORMAT_NC, "NC"},       {ACL_FORMAT_NCL, "NCL"},
};

}  // namespace

std::string FormatName(aclFormat format) {
  const auto* found = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.format == format; });
  return found == std::end(kRows) ? fmt::format("format {}", static_cast<int>(format)) : found->name;
}

}  // namespace atc::omrun
