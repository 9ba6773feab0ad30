#include "compiler/ir/stream_label.h"

namespace atc {

std::string StreamLabelOf(const Node& node) {
  for (const char* attr : {kUserStreamLabel, kStreamLabel}) {
    const std::string label = node.attrs.Get<std::string>(attr, "");
    if (!label.empty()) return label;
  }
  return "";
}

void CopyStreamLabels(const Node& from, Node& to) {
  for (const char* attr : {kUserStreamLabel, kStreamLabel}) {
    const std::string label = from.attrs.Get<std::string>(attr, "");
    if (!label.empty()) to.attrs.Set(attr, label);
  }
}

}  // namespace atc
