#include "compiler/ir/journal.h"

#include <algorithm>

namespace atc {
namespace {

bool Forbids(const Node& node, const std::string& pass) {
  const auto* passes = node.attrs.FindAs<std::vector<std::string>>(kDisabledPassesAttr);
  return passes != nullptr && std::find(passes->begin(), passes->end(), pass) != passes->end();
}

}  // namespace

bool Journal::Allow(std::string_view pattern, const std::vector<const Node*>& before) {
  ++counts_[pass_].matches;
  if (next_number_ >= limit_) return false;
  if (std::any_of(before.begin(), before.end(), [&](const Node* node) { return Forbids(*node, pass_); })) return false;
  ++counts_[pass_].effects;
  Append(pattern, next_number_++, before);
  return true;
}

void Journal::Require(std::string_view pattern, const std::vector<const Node*>& before) {
  ++counts_[pass_].matches;
  ++counts_[pass_].effects;
  Append(pattern, -1, before);
}

void Journal::Made(const Node& node) { entries_.back().after.push_back(node.name); }

Journal Journal::ForTrial() const {
  Journal trial;
  trial.next_number_ = next_number_;
  trial.limit_ = limit_;
  return trial;
}

void Journal::Append(std::string_view pattern, int64_t number, const std::vector<const Node*>& before) {
  Entry entry{stage_, pass_, std::string(pattern), number, {}, {}};
  for (const Node* node : before) entry.before.push_back(node->name);
  entries_.push_back(std::move(entry));
}

}  // namespace atc
