// What is different between two models, node by node.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/om/model_view.h"

namespace atc {

struct Difference {
  // "node" (only one of the models has it), "type", "input", "control", "dtype", "format", "shape", "stream", "event",
  // "offset", "size", "workspace", "weight", "attribute", "order" or "model".
  std::string kind;
  std::string node;  // empty: of the model as a whole
  std::string what;  // which of several: "output 0", the name of an attribute
  std::string a, b;  // empty: absent there
};

struct ModelDiff {
  std::string a, b;  // where the models come from
  size_t nodes_a = 0, nodes_b = 0;
  std::vector<Difference> differences;  // nodes in the order of the files, removed ones first

  bool equal() const { return differences.empty(); }
  std::map<std::string, int64_t> Counts() const;  // by kind
  std::string Text() const;
  std::string Json() const;
};

// Nodes are matched by name. What only one of the models says (offsets before memory is planned, the elements of constants
// in a dump without them, attributes where the kinds of file differ) is not compared.
ModelDiff DiffModels(const ModelView& a, const ModelView& b);

}  // namespace atc
