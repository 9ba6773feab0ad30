#include "compiler/ir/unsupported_operators.h"

#include <fmt/format.h>

namespace atc {

void UnsupportedOperators::Add(const std::string& domain, int64_t opset, const std::string& type,
                               const std::string& node, int count) {
  Seen& seen = found_[{domain.empty() ? "ai.onnx" : domain, type, opset}];
  if (seen.count == 0) seen.first_node = node;
  seen.count += count;
}

Error UnsupportedOperators::ToError() const {
  std::string list;
  int nodes = 0;
  for (const auto& [key, seen] : found_) {
    const auto& [domain, type, opset] = key;
    nodes += seen.count;
    if (found_.size() > 1) list += '\n';
    list += fmt::format("{}::{}::{} ({} node{}, {}'{}')", domain, opset, type, seen.count, seen.count == 1 ? "" : "s",
                        seen.count == 1 ? "" : "first ", seen.first_node);
  }
  if (found_.size() > 1) list = fmt::format("{} operator types in {} nodes{}", found_.size(), nodes, list);
  return Error("E16002", {{"optype", list}});
}

}  // namespace atc
