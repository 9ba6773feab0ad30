// Passes that look for patterns and replace what they find.
#pragma once

#include <memory>
#include <new>
#include <vector>

#include "ge/fusion/match_result.h"
#include "ge/fusion/pass/fusion_base_pass.h"
#include "ge/fusion/pass/fusion_pass_reg.h"
#include "ge/fusion/pattern_matcher_config.h"

namespace ge {
namespace fusion {

using GraphUniqPtr = std::unique_ptr<Graph>;
using PatternUniqPtr = std::unique_ptr<Pattern>;

class PatternFusionPass : public FusionBasePass {
 public:
  PatternFusionPass() = default;
  explicit PatternFusionPass(std::unique_ptr<PatternMatcherConfig> config) : config_(std::move(config)) {}

  // For each pattern, each match that meets the requirements and whose replacement makes no cycle is replaced.
  // SUCCESS where some were, GRAPH_NOT_CHANGED where none were. A null replacement is a failure.
  Status Run(GraphPtr& graph, CustomPassContext& context) override;

 protected:
  virtual std::vector<PatternUniqPtr> Patterns() = 0;
  virtual bool MeetRequirements(const std::unique_ptr<MatchResult>&) { return true; }
  virtual GraphUniqPtr Replacement(const std::unique_ptr<MatchResult>& match) = 0;

 private:
  std::unique_ptr<PatternMatcherConfig> config_;
};

// The same, the context being handed on.
class PatternFusionPassV2 : public FusionBasePass {
 public:
  PatternFusionPassV2() = default;
  explicit PatternFusionPassV2(std::unique_ptr<PatternMatcherConfig> config) : config_(std::move(config)) {}

  Status Run(GraphPtr& graph, CustomPassContext& context) override;

 protected:
  virtual std::vector<PatternUniqPtr> Patterns() = 0;
  virtual bool MeetRequirements(const std::unique_ptr<MatchResult>&, CustomPassContext&) { return true; }
  virtual GraphUniqPtr Replacement(const std::unique_ptr<MatchResult>& match, CustomPassContext& context) = 0;

 private:
  std::unique_ptr<PatternMatcherConfig> config_;
};

}  // namespace fusion
}  // namespace ge

// For a class that can be made without arguments; followed by .Stage(...) and a semicolon.
#define REG_FUSION_PASS(pass_class) OPENATC_NUMBERED_FUSION_PASS(__COUNTER__, #pass_class, pass_class())
