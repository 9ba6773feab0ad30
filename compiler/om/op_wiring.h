// How an operator hangs together with the rest of its graph, as files list it.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/om/graph_list.h"

namespace atc {

class WeightLayout;

struct OpWiring {
  // The other end of an edge: a node and its output or input; -1: a control edge.
  struct End {
    NodeId node;
    int64_t index;
  };

  std::vector<End> inputs;   // kNoId where one is absent; control edges come last
  std::vector<End> targets;  // in the order of the listed nodes, output by output; control edges last
  // Bytes from the start of the memory; empty where none is placed. Of inputs that are there.
  std::vector<int64_t> input_offsets;
  std::vector<int64_t> output_offsets;
  std::vector<char> constant;  // by input, without control edges; empty where none is a constant

  // What was there before is replaced. `weights` gives constants their offsets; null: their own.
  void Find(const ListedGraph& listed, const Node& node, const WeightLayout* weights);
};

// The offset that a reader of the value finds in the file.
int64_t OffsetInFile(const Graph& graph, const Value& value, const WeightLayout* weights);
bool IsConstantValue(const Graph& graph, const Value& value);

}  // namespace atc
