#include "compiler/ir/journal.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace atc {
namespace {

bool Forbids(const Node& node, const std::string& pass) {
  const auto* passes = node.attrs.FindAs<std::vector<std::string>>(kDisabledPassesAttr);
  return passes != nullptr && std::find(passes->begin(), passes->end(), pass) != passes->end();
}

// Several nodes make no pattern where one of them waits for what the others do not wait for, or is waited for by itself:
// what takes their place could not keep that order.
bool HaveOneOrder(const std::vector<const Node*>& nodes) {
  return nodes.size() < 2 || std::all_of(nodes.begin(), nodes.end(), [&](const Node* node) {
    return node->control_out.empty() && node->control_in == nodes[0]->control_in;
  });
}

}  // namespace

bool Journal::Allow(std::string_view pattern, const std::vector<const Node*>& before) {
  if (!HaveOneOrder(before)) return false;
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

void Journal::MadeAlong(const Graph& graph, NodeId first, size_t since) {
  if (since >= entries_.size() || first >= graph.node_capacity()) return;
  std::unordered_map<std::string, size_t> of;  // by name; what is made tells more than what was there
  for (size_t i = since; i < entries_.size(); ++i) {
    for (const std::string& name : entries_[i].before) of[name] = i;
  }
  for (size_t i = since; i < entries_.size(); ++i) {
    for (const std::string& name : entries_[i].after) of[name] = i;
  }
  std::set<std::string> made;
  for (size_t i = since; i < entries_.size(); ++i) made.insert(entries_[i].after.begin(), entries_[i].after.end());
  const auto entry_of = [&](const Node& node) {
    for (const ValueId output : node.outputs) {
      for (const Use& use : graph.value(output).uses) {
        if (const auto found = of.find(graph.node(use.node).name); found != of.end()) return found->second;
      }
    }
    for (const ValueId input : node.inputs) {
      if (input == kNoId) continue;
      if (const auto found = of.find(graph.producer(input).name); found != of.end()) return found->second;
    }
    return entries_.size() - 1;
  };
  // Readers come after what they read.
  for (NodeId id = static_cast<NodeId>(graph.node_capacity()); id-- > first;) {
    const Node& node = graph.node(id);
    if (!node.alive || made.contains(node.name)) continue;
    const size_t entry = entry_of(node);
    entries_[entry].after.push_back(node.name);
    of.emplace(node.name, entry);
  }
}

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
