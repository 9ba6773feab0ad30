// What stands in the way of a model before it is converted, operator by operator: --mode=3.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace atc {

struct PrecheckReport {
  // GE's numbers of causes.
  enum Cause { kTypeUnsupported = 1, kNameRepeated = 9 };
  struct Operator {
    std::string name;  // "<type>_<number>" where the model has none
    std::string type;
    std::vector<Cause> causes;
  };
  std::string graph;  // its name
  std::vector<Operator> operators;

  size_t CountFailed() const {
    return static_cast<size_t>(
        std::count_if(operators.begin(), operators.end(), [](const Operator& op) { return !op.causes.empty(); }));
  }
};

// The nodes of the main graph, those in nested graphs counted with the node that owns them. Errors: E13005, E13015,
// E16001, E16004, E16005.
PrecheckReport PrecheckOnnx(const std::string& path);

// The same of a GraphDef or a SavedModel; what functions hold counts with the node that calls them, and nodes that no
// output depends on are no obstacle. Errors: those of ParseTensorFlow, but for operators without converter and names
// given twice.
PrecheckReport PrecheckTensorFlow(const std::string& path);

}  // namespace atc
