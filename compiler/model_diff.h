// What is different between two models, node by node.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/om/model_view.h"

namespace atc {

struct Difference {
  // "node" (only one of the models has it), "name", "fused" (what a node stands for, or which one stands for it),
  // "graph" (the nested one that holds it; empty: the main one), "type", "input", "control", "dtype", "format",
  // "shape", "stream", "event", "offset", "size", "workspace", "weight", "attribute" or "model"; of notes also "order".
  std::string kind;
  std::string node;  // as `a` names it; empty: of the model as a whole
  std::string what;  // which of several: "output 0", the name of an attribute
  std::string a, b;  // empty: absent there
};

struct ModelDiff {
  std::string a, b;  // where the models come from
  size_t nodes_a = 0, nodes_b = 0;
  std::vector<Difference> differences;  // nodes in the order of the files, removed ones first
  // What makes the models no different: the command line that an om was made by, the order in which nodes are listed.
  std::vector<Difference> notes;
  int64_t moved = 0;  // nodes of both at other places

  bool equal() const { return differences.empty(); }
  std::map<std::string, int64_t> Counts() const;  // by kind
  std::string Text() const;
  std::string Json() const;
};

// What DiffModels makes of what only one of the models says, such as offsets before memory is planned: nothing, as of
// two files, or a difference, as of two stages of one conversion.
enum class OneSided { kIgnored, kTold };

// Nodes are matched as MatchNodes does. The elements of constants in a dump without them, and attributes where the
// kinds of file differ, are never compared.
ModelDiff DiffModels(const ModelView& a, const ModelView& b, OneSided one_sided = OneSided::kIgnored);

}  // namespace atc
