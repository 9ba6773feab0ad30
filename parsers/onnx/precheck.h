// What stands in the way of a model before it is converted, operator by operator: --mode=3.
#pragma once

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

  size_t CountFailed() const;
};

// The nodes of the main graph, those in nested graphs counted with the node that owns them. Errors: E13005, E13015,
// E16001, E16004, E16005.
PrecheckReport PrecheckOnnx(const std::string& path);

}  // namespace atc
