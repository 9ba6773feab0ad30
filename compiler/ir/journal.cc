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
  const bool forbidden =
      std::any_of(before.begin(), before.end(), [&](const Node* node) { return Forbids(*node, pass_); });
  const bool allowed = next_number_ < limit_ && !forbidden;
  Count(allowed);
  if (!allowed) return false;
  Append(pattern, next_number_++, before);
  return true;
}

void Journal::Require(std::string_view pattern, const std::vector<const Node*>& before) {
  Count(true);
  Append(pattern, -1, before);
}

void Journal::Made(const Node& node) { entries_.back().after.push_back(node.name); }

Journal Journal::ForTrial() const {
  Journal trial;
  trial.next_number_ = next_number_;
  trial.limit_ = limit_;
  return trial;
}

void Journal::Count(bool effect) {
  if (pass_.empty()) return;
  Counts& counts = counts_[pass_];
  ++counts.matches;
  counts.effects += effect;
}

void Journal::Append(std::string_view pattern, int64_t number, const std::vector<const Node*>& before) {
  Entry entry{stage_, pass_, std::string(pattern), number, {}, {}};
  for (const Node* node : before) entry.before.push_back(node->name);
  entries_.push_back(std::move(entry));
}

}  // namespace atc
