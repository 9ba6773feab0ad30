#include "parsers/onnx/versions.h"

#include <algorithm>

#include "parsers/onnx/convert.h"

namespace atc {

std::vector<OpsetSupport> OnnxOpsets() {
  std::vector<OpsetSupport> domains;
  for (const auto& [key, versions] : onnx_parser::ConverterRegistry::Get().all()) {
    if (domains.empty() || domains.back().domain != key.first) domains.push_back({key.first, 0, 0});
    ++domains.back().operators;
    domains.back().newest = std::max(domains.back().newest, versions.rbegin()->first);
  }
  for (OpsetSupport& support : domains) {
    if (support.domain == "ai.onnx") support.newest = kNewestOpset;
  }
  return domains;
}

}  // namespace atc
