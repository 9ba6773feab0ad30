// The one report about all operators of a model that this version does not know.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "compiler/ir/error.h"

namespace atc {

class UnsupportedOperators {
 public:
  // `domain` "" means "ai.onnx"; `opset` is the version that the model imports for the domain, 0 when it imports none.
  // `node` is the first of `count` nodes.
  void Add(const std::string& domain, int64_t opset, const std::string& type, const std::string& node, int count = 1);

  bool empty() const { return found_.empty(); }
  // E16002 with one line an operator type: "ai.onnx::17::Foo (4 nodes, first 'conv_1')", sorted by domain and type.
  Error ToError() const;

 private:
  struct Seen {
    int count = 0;
    std::string first_node;
  };
  std::map<std::tuple<std::string, std::string, int64_t>, Seen> found_;  // domain, type, opset
};

}  // namespace atc
