// Passes that replace single nodes, by their type.
#pragma once

#include <memory>
#include <new>
#include <vector>

#include "ge/fusion/pass/fusion_base_pass.h"
#include "ge/fusion/pass/fusion_pass_reg.h"

namespace ge {
namespace fusion {

using GraphUniqPtr = std::unique_ptr<Graph>;

class DecomposePass : public FusionBasePass {
 public:
  explicit DecomposePass(const std::vector<AscendString>& types) : types_(types) {}

  // Inputs of the replacement are the values that the node takes, each once, in the order of its inputs; its outputs
  // those of the node.
  Status Run(GraphPtr& graph, CustomPassContext& context) override;

 protected:
  virtual bool MeetRequirements(const GNode&) { return true; }
  virtual GraphUniqPtr Replacement(const GNode& node) = 0;

 private:
  std::vector<AscendString> types_;
};

// The same, the context being handed on.
class DecomposePassV2 : public FusionBasePass {
 public:
  explicit DecomposePassV2(const std::vector<AscendString>& types) : types_(types) {}

  Status Run(GraphPtr& graph, CustomPassContext& context) override;

 protected:
  virtual bool MeetRequirements(const GNode&, CustomPassContext&) { return true; }
  virtual GraphUniqPtr Replacement(const GNode& node, CustomPassContext& context) = 0;

 private:
  std::vector<AscendString> types_;
};

}  // namespace fusion
}  // namespace ge

// For a class that is made of the list of types; followed by .Stage(...) and a semicolon. A list in braces holds commas.
#define REG_DECOMPOSE_PASS(pass_class, ...) \
  OPENATC_NUMBERED_FUSION_PASS(__COUNTER__, #pass_class, pass_class(__VA_ARGS__))
