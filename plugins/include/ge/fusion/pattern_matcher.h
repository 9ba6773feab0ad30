// Finds the places where a pattern fits.
#pragma once

#include <memory>

#include "ge/fusion/match_result.h"
#include "ge/fusion/pattern_matcher_config.h"

namespace ge {
namespace fusion {

class PatternMatcherImpl;

class PatternMatcher {
 public:
  explicit PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr& graph);
  PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr& graph, std::unique_ptr<PatternMatcherConfig> config);
  ~PatternMatcher();

  // The next match in topological order of the graph as it was when the matcher was made; null after the last. Nested
  // graphs are not looked into. Matches may overlap; nodes that are gone by now are in none.
  // A node of the pattern fits one of the same type, with the same number of inputs from what the pattern says, without
  // control edges and nested graphs, whose outputs no other node than the match's own uses unless they are outputs of
  // the pattern.
  std::unique_ptr<MatchResult> MatchNext();

 private:
  std::unique_ptr<PatternMatcherImpl> impl_;
};

}  // namespace fusion
}  // namespace ge
