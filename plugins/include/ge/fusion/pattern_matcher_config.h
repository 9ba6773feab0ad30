// How exactly a pattern is matched, beside types of operators and edges, which always are.
#pragma once

#include <memory>

namespace ge {
namespace fusion {

class PatternMatcherConfig {
 public:
  // Constants with a value in the pattern have the same bytes, type and shape in the graph.
  bool IsEnableConstValueMatch() const { return const_values_; }
  // Attributes of the operator's definition that a node of the pattern has set are equal, bit by bit.
  bool IsEnableIrAttrMatch() const { return attrs_; }

 private:
  friend class PatternMatcherConfigBuilder;
  bool const_values_ = false;
  bool attrs_ = false;
};

class PatternMatcherConfigBuilder {
 public:
  PatternMatcherConfigBuilder& EnableConstValueMatch() {
    config_.const_values_ = true;
    return *this;
  }
  PatternMatcherConfigBuilder& EnableIrAttrMatch() {
    config_.attrs_ = true;
    return *this;
  }
  std::unique_ptr<PatternMatcherConfig> Build() const { return std::make_unique<PatternMatcherConfig>(config_); }

 private:
  PatternMatcherConfig config_;
};

}  // namespace fusion
}  // namespace ge
