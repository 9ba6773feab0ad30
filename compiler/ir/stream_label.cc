#include "compiler/ir/stream_label.h"

namespace atc {

std::string StreamLabelOf(const Node& node) {
  const std::string users = node.attrs.Get<std::string>(kUserStreamLabel, "");
  const std::string own = node.attrs.Get<std::string>(kStreamLabel, "");
  if (!users.empty() && !own.empty() && node.attrs.Get<bool>(kInnerParallel, false)) return users + "_" + own;
  return users.empty() ? own : users;
}

void CopyStreamLabels(const Node& from, Node& to) {
  for (const char* attr : {kUserStreamLabel, kStreamLabel}) {
    const std::string label = from.attrs.Get<std::string>(attr, "");
    if (!label.empty()) to.attrs.Set(attr, label);
  }
  if (from.attrs.Get<bool>(kInnerParallel, false)) to.attrs.Set(kInnerParallel, true);
}

}  // namespace atc
