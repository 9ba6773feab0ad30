// Decision trees as the operators of domain ai.onnx.ml describe them, made ready to be walked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/ir/kernel_context.h"

namespace atc::ml {

// What a leaf adds to a target (or class).
struct Vote {
  int64_t target;
  double weight;
};

class Trees {
 public:
  // From the attributes of TreeEnsemble (version 5).
  static Trees FromEnsemble(const KernelContext& ctx);
  // From those of TreeEnsembleRegressor and TreeEnsembleClassifier (versions 1 and 3); `votes` begins the names of the
  // attributes about leaves: "target" or "class".
  static Trees FromNodes(const KernelContext& ctx, const std::string& votes);

  size_t count() const { return roots_.size(); }
  const std::vector<Vote>& votes() const { return votes_; }
  // Calls fn for each vote of the leaves that a row of features reaches, one leaf a tree. Fails on a feature that the
  // row does not have and on nodes that form a ring.
  void Walk(const KernelContext& ctx, std::span<const double> row, const std::function<void(const Vote&)>& fn) const;

 private:
  enum Mode : uint8_t { kLessEqual, kLess, kGreaterEqual, kGreater, kEqual, kNotEqual, kMember, kLeaf };

  // The place of a node or, `leaf`, of a leaf.
  struct Link {
    size_t at = 0;
    bool leaf = false;
  };
  struct Node {
    Mode mode = kLessEqual;
    int64_t feature = 0;
    double split = 0;
    size_t members_begin = 0, members_end = 0;  // of members_, in kMember
    bool missing_is_true = false;
    Link yes, no;
  };
  struct Leaf {
    size_t begin, end;  // of votes_
  };

  bool Decide(const Node& node, double x) const;

  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  std::vector<Link> roots_;
  std::vector<Vote> votes_;
  std::vector<double> members_;
};

}  // namespace atc::ml
