// One place where a pattern fits: which node each node of the pattern stands for.
#pragma once

#include <memory>
#include <vector>

#include "ge/fusion/pattern.h"
#include "ge/fusion/subgraph_boundary.h"

namespace ge {
namespace fusion {

class MatchResultImpl;

class MatchResult {
 public:
  // The pattern must live as long as this.
  explicit MatchResult(const Pattern* pattern);
  MatchResult(const MatchResult& other) noexcept;
  MatchResult(MatchResult&& other) noexcept;
  MatchResult& operator=(const MatchResult& other) noexcept;
  MatchResult& operator=(MatchResult&& other) noexcept;
  ~MatchResult();

  // Fails where the node of the pattern stands for another node already.
  Status AppendNodeMatchPair(const NodeIo& pattern_output, const NodeIo& matched_output);
  Status GetMatchedNode(const GNode& pattern_node, GNode& matched_node) const;
  // Without what the Data nodes of the pattern stand for, in the order of the pattern.
  std::vector<GNode> GetMatchedNodes() const;
  Status GetCapturedTensor(size_t index, NodeIo& output) const;
  const Graph& GetPatternGraph() const;
  // Inputs by the numbers of the pattern's Data nodes, outputs by those of its outputs. Null where the graph has changed
  // so that the match is gone.
  std::unique_ptr<SubgraphBoundary> ToSubgraphBoundary() const;
  // "pattern {node -> node, ...}".
  AscendString ToAscendString() const;

 private:
  std::unique_ptr<MatchResultImpl> impl_;
};

}  // namespace fusion
}  // namespace ge
