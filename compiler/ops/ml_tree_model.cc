#include "compiler/ops/ml_tree_model.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace atc::ml {
namespace {

using Ints = std::vector<int64_t>;

Ints IntsOf(const KernelContext& ctx, const std::string& name) { return ctx.node().attrs.Get<Ints>(name, {}); }

// A list of floats or, in newer versions, a tensor named <name>_as_tensor.
std::vector<double> Numbers(const KernelContext& ctx, const std::string& name) {
  for (const std::string& tensor_name : {name, name + "_as_tensor"}) {
    if (const Tensor* tensor = ctx.node().attrs.FindAs<Tensor>(tensor_name)) return ToDoubles(tensor->Materialized());
  }
  const auto floats = ctx.node().attrs.Get<std::vector<float>>(name, {});
  return {floats.begin(), floats.end()};
}

template <typename List>
void CheckSize(const KernelContext& ctx, const char* name, const List& list, size_t wanted, bool optional = false) {
  if (list.size() == wanted || (optional && list.empty())) return;
  ctx.Fail("attribute " + std::string(name) + " has " + std::to_string(list.size()) + " entries, wanted " +
           std::to_string(wanted));
}

size_t Place(const KernelContext& ctx, const char* name, int64_t at, size_t size) {
  if (at < 0 || static_cast<uint64_t>(at) >= size) {
    ctx.Fail("attribute " + std::string(name) + " holds " + std::to_string(at) + ", wanted 0 to below " +
             std::to_string(size));
  }
  return static_cast<size_t>(at);
}

}  // namespace

Trees Trees::FromEnsemble(const KernelContext& ctx) {
  const Ints features = IntsOf(ctx, "nodes_featureids"), missing = IntsOf(ctx, "nodes_missing_value_tracks_true");
  const Ints yes = IntsOf(ctx, "nodes_truenodeids"), no = IntsOf(ctx, "nodes_falsenodeids");
  const Ints yes_leaf = IntsOf(ctx, "nodes_trueleafs"), no_leaf = IntsOf(ctx, "nodes_falseleafs");
  const Ints targets = IntsOf(ctx, "leaf_targetids");
  const std::vector<double> modes = Numbers(ctx, "nodes_modes"), splits = Numbers(ctx, "nodes_splits");
  const std::vector<double> weights = Numbers(ctx, "leaf_weights");
  const size_t count = features.size();
  CheckSize(ctx, "nodes_modes", modes, count);
  CheckSize(ctx, "nodes_splits", splits, count);
  CheckSize(ctx, "nodes_truenodeids", yes, count);
  CheckSize(ctx, "nodes_falsenodeids", no, count);
  CheckSize(ctx, "nodes_trueleafs", yes_leaf, count);
  CheckSize(ctx, "nodes_falseleafs", no_leaf, count);
  CheckSize(ctx, "nodes_missing_value_tracks_true", missing, count, true);
  CheckSize(ctx, "leaf_weights", weights, targets.size());

  Trees trees;
  trees.members_ = Numbers(ctx, "membership_values");
  for (size_t i = 0; i < targets.size(); ++i) {
    trees.votes_.push_back({targets[i], weights[i]});
    trees.leaves_.push_back({i, i + 1});
  }
  size_t member = 0;
  for (size_t i = 0; i < count; ++i) {
    Node node;
    if (!(modes[i] >= 0 && modes[i] <= int{kMember})) {
      ctx.Fail("nodes_modes holds " + std::to_string(modes[i]) + ", wanted 0 to 6");
    }
    node.mode = static_cast<Mode>(modes[i]);
    node.feature = features[i];
    node.split = splits[i];
    node.missing_is_true = !missing.empty() && missing[i] != 0;
    if (node.mode == kMember) {  // the sets stand one behind another, each with NaN behind it
      node.members_begin = member;
      while (member < trees.members_.size() && !std::isnan(trees.members_[member])) ++member;
      node.members_end = member;
      if (member == trees.members_.size()) ctx.Fail("membership_values has fewer sets than there are nodes of mode 6");
      ++member;
    }
    const auto link = [&](const char* name, const Ints& at, const Ints& leaf) {
      return Link{Place(ctx, name, at[i], leaf[i] ? trees.leaves_.size() : count), leaf[i] != 0};
    };
    node.yes = link("nodes_truenodeids", yes, yes_leaf);
    node.no = link("nodes_falsenodeids", no, no_leaf);
    trees.nodes_.push_back(node);
  }
  for (const int64_t root : IntsOf(ctx, "tree_roots")) {
    trees.roots_.push_back({Place(ctx, "tree_roots", root, count), false});
  }
  return trees;
}

Trees Trees::FromNodes(const KernelContext& ctx, const std::string& votes) {
  static constexpr std::pair<std::string_view, Mode> kModes[] = {
      {"BRANCH_EQ", kEqual},
      {"BRANCH_GT", kGreater},
      {"BRANCH_GTE", kGreaterEqual},
      {"BRANCH_LEQ", kLessEqual},
      {"BRANCH_LT", kLess},
      {"BRANCH_NEQ", kNotEqual},
      {"LEAF", kLeaf},
  };
  const Ints tree_ids = IntsOf(ctx, "nodes_treeids"), node_ids = IntsOf(ctx, "nodes_nodeids");
  const Ints features = IntsOf(ctx, "nodes_featureids"), missing = IntsOf(ctx, "nodes_missing_value_tracks_true");
  const Ints yes = IntsOf(ctx, "nodes_truenodeids"), no = IntsOf(ctx, "nodes_falsenodeids");
  const auto modes = ctx.node().attrs.Get<std::vector<std::string>>("nodes_modes", {});
  const std::vector<double> splits = Numbers(ctx, "nodes_values");
  const size_t count = node_ids.size();
  CheckSize(ctx, "nodes_treeids", tree_ids, count);
  CheckSize(ctx, "nodes_featureids", features, count);
  CheckSize(ctx, "nodes_truenodeids", yes, count);
  CheckSize(ctx, "nodes_falsenodeids", no, count);
  CheckSize(ctx, "nodes_modes", modes, count);
  CheckSize(ctx, "nodes_values", splits, count);
  CheckSize(ctx, "nodes_missing_value_tracks_true", missing, count, true);

  std::map<std::pair<int64_t, int64_t>, size_t> places;
  for (size_t i = 0; i < count; ++i) {
    if (!places.emplace(std::pair(tree_ids[i], node_ids[i]), i).second) {
      ctx.Fail("node " + std::to_string(node_ids[i]) + " of tree " + std::to_string(tree_ids[i]) + " is there twice");
    }
  }
  const auto place = [&](const char* what, int64_t tree, int64_t node) {
    const auto it = places.find({tree, node});
    if (it == places.end()) {
      ctx.Fail(std::string(what) + " names node " + std::to_string(node) + " of tree " + std::to_string(tree) +
               ", which is not there");
    }
    return it->second;
  };

  Trees trees;
  trees.nodes_.resize(count);
  std::vector<bool> has_parent(count, false);
  for (size_t i = 0; i < count; ++i) {
    Node& node = trees.nodes_[i];
    const auto* mode = std::find_if(std::begin(kModes), std::end(kModes), [&](auto& m) { return m.first == modes[i]; });
    if (mode == std::end(kModes)) ctx.Fail("nodes_modes holds '" + modes[i] + "', which is no mode");
    node.mode = mode->second;
    if (node.mode == kLeaf) continue;
    node.feature = features[i];
    node.split = splits[i];
    node.missing_is_true = !missing.empty() && missing[i] != 0;
    node.yes.at = place("nodes_truenodeids", tree_ids[i], yes[i]);
    node.no.at = place("nodes_falsenodeids", tree_ids[i], no[i]);
    has_parent[node.yes.at] = has_parent[node.no.at] = true;
  }
  std::map<int64_t, int> roots;
  for (size_t i = 0; i < count; ++i) {
    roots[tree_ids[i]] += !has_parent[i];
    if (!has_parent[i]) trees.roots_.push_back({i, false});
  }
  for (const auto& [tree, number] : roots) {
    if (number != 1) {
      ctx.Fail("tree " + std::to_string(tree) + " has " + std::to_string(number) +
               " nodes that no other leads to, wanted one, its root");
    }
  }

  // Votes come in any order; they are gathered by leaf. Those of other nodes have no effect.
  const Ints vote_trees = IntsOf(ctx, votes + "_treeids"), vote_nodes = IntsOf(ctx, votes + "_nodeids");
  const Ints targets = IntsOf(ctx, votes + "_ids");
  const std::vector<double> weights = Numbers(ctx, votes + "_weights");
  CheckSize(ctx, (votes + "_treeids").c_str(), vote_trees, targets.size());
  CheckSize(ctx, (votes + "_nodeids").c_str(), vote_nodes, targets.size());
  CheckSize(ctx, (votes + "_weights").c_str(), weights, targets.size());
  std::vector<std::vector<Vote>> of_node(count);
  for (size_t i = 0; i < targets.size(); ++i) {
    of_node[place((votes + "_nodeids").c_str(), vote_trees[i], vote_nodes[i])].push_back({targets[i], weights[i]});
  }
  std::vector<size_t> leaf_of(count, 0);
  for (size_t i = 0; i < count; ++i) {
    if (trees.nodes_[i].mode != kLeaf) continue;
    leaf_of[i] = trees.leaves_.size();
    const size_t begin = trees.votes_.size();
    trees.votes_.insert(trees.votes_.end(), of_node[i].begin(), of_node[i].end());
    trees.leaves_.push_back({begin, trees.votes_.size()});
  }
  const auto relink = [&](Link& link) {
    if (trees.nodes_[link.at].mode == kLeaf) link = {leaf_of[link.at], true};
  };
  for (Node& node : trees.nodes_) {
    if (node.mode == kLeaf) continue;
    relink(node.yes);
    relink(node.no);
  }
  for (Link& root : trees.roots_) relink(root);
  return trees;
}

bool Trees::Decide(const Node& node, double x) const {
  if (node.missing_is_true && std::isnan(x)) return true;
  switch (node.mode) {
    case kLessEqual: return x <= node.split;
    case kLess: return x < node.split;
    case kGreaterEqual: return x >= node.split;
    case kGreater: return x > node.split;
    case kEqual: return x == node.split;
    case kNotEqual: return x != node.split;
    case kMember: {
      const auto end = members_.begin() + static_cast<std::ptrdiff_t>(node.members_end);
      return std::find(members_.begin() + static_cast<std::ptrdiff_t>(node.members_begin), end, x) != end;
    }
    case kLeaf: break;
  }
  return false;
}

void Trees::Walk(const KernelContext& ctx, std::span<const double> row,
                 const std::function<void(const Vote&)>& fn) const {
  for (const Link& root : roots_) {
    Link link = root;
    for (size_t steps = 0; !link.leaf; ++steps) {
      if (steps > nodes_.size()) ctx.Fail("its nodes form a ring");
      const Node& node = nodes_[link.at];
      if (node.feature < 0 || static_cast<uint64_t>(node.feature) >= row.size()) {
        ctx.Fail("a node asks for feature " + std::to_string(node.feature) + ", rows have " +
                 std::to_string(row.size()));
      }
      link = Decide(node, row[static_cast<size_t>(node.feature)]) ? node.yes : node.no;
    }
    for (size_t i = leaves_[link.at].begin; i < leaves_[link.at].end; ++i) fn(votes_[i]);
  }
}

}  // namespace atc::ml
