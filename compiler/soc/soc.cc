#include "compiler/soc/soc.h"

#include <algorithm>
#include <string>

#include "compiler/ir/error.h"

namespace atc {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

}  // namespace

// Core counts and memory as the public product pages give them; names as they are seen in CANN's guides.
const std::vector<Soc>& AllSocs() {
  static const std::vector<Soc> socs = {
      {"Ascend310", "Ascend310", 2, 2, 8 * kGiB, true},
      {"Ascend310B1", "Ascend310B", 1, 1, 16 * kGiB},
      {"Ascend310B2", "Ascend310B", 1, 1, 16 * kGiB},
      {"Ascend310B3", "Ascend310B", 1, 1, 16 * kGiB},
      {"Ascend310B4", "Ascend310B", 1, 1, 16 * kGiB},
      {"Ascend310P1", "Ascend310P", 10, 8, 24 * kGiB, true},
      {"Ascend310P3", "Ascend310P", 8, 7, 24 * kGiB, true},
      {"Ascend310P5", "Ascend310P", 8, 7, 24 * kGiB, true},
      {"Ascend310P7", "Ascend310P", 8, 7, 24 * kGiB, true},
      {"Ascend610", "Ascend610", 10, 8, 16 * kGiB, true},
      {"Ascend910A", "Ascend910", 32, 32, 32 * kGiB, true},
      {"Ascend910B", "Ascend910", 32, 32, 32 * kGiB, true},
      {"Ascend910B1", "Ascend910B", 24, 48, 64 * kGiB, false, true},
      {"Ascend910B2", "Ascend910B", 24, 48, 64 * kGiB, false, true},
      {"Ascend910B2C", "Ascend910B", 24, 48, 64 * kGiB, false, true},
      {"Ascend910B3", "Ascend910B", 20, 40, 64 * kGiB, false, true},
      {"Ascend910B4", "Ascend910B", 20, 40, 32 * kGiB, false, true},
      {"Ascend910B4-1", "Ascend910B", 20, 40, 64 * kGiB, false, true},
      {"Ascend910PremiumA", "Ascend910", 32, 32, 32 * kGiB, true},
      {"Ascend910ProA", "Ascend910", 32, 32, 32 * kGiB, true},
      {"Ascend910ProB", "Ascend910", 30, 30, 32 * kGiB, true},
      {"Ascend910_9362", "Ascend910_93", 20, 40, 64 * kGiB, false, true},
      {"Ascend910_9372", "Ascend910_93", 20, 40, 64 * kGiB, false, true},
      {"Ascend910_9381", "Ascend910_93", 24, 48, 64 * kGiB, false, true},
      {"Ascend910_9382", "Ascend910_93", 24, 48, 64 * kGiB, false, true},
      {"Ascend910_9391", "Ascend910_93", 24, 48, 64 * kGiB, false, true},
      {"Ascend910_9392", "Ascend910_93", 24, 48, 64 * kGiB, false, true},
  };
  return socs;
}

const Soc& FindSoc(std::string_view name) {
  if (name == "Ascend910") name = "Ascend910A";
  const std::vector<Soc>& socs = AllSocs();
  const auto it = std::find_if(socs.begin(), socs.end(), [&](const Soc& soc) { return soc.name == name; });
  if (it != socs.end()) return *it;
  // Those that share the longest beginning, whatever its case and with or without the brand, are what was probably meant.
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](char a, char b) { return lower(a) == lower(b); };
  constexpr std::string_view kBrand = "Ascend";
  const bool branded = name.size() >= kBrand.size() && std::equal(kBrand.begin(), kBrand.end(), name.begin(), same);
  const std::string wanted = (branded ? "" : std::string(kBrand)) + std::string(name);
  size_t longest = 0;
  std::string similar;
  for (const Soc& soc : socs) {
    const size_t common = static_cast<size_t>(
        std::mismatch(soc.name.begin(), soc.name.end(), wanted.begin(), wanted.end(), same).first - soc.name.begin());
    if (common < longest) continue;
    if (common > longest) similar.clear();
    longest = common;
    similar += (similar.empty() ? "" : ", ") + std::string(soc.name);
  }
  throw Error("E20101", {{"value", std::string(name)}, {"parameter", "--soc_version"},
                         {"reason", "The corresponding platform configuration file cannot be found."}},
              "Use one of: " + similar + ".");
}

}  // namespace atc
