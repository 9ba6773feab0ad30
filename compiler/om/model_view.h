// A model as users compare it: what its nodes, tensors and weights are, whatever file it comes from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

struct ViewedTensor {
  std::string dtype, format, origin_format;  // empty: the file does not say
  std::vector<int64_t> shape, origin_shape;
  int64_t offset = -1;  // bytes; -1: not placed
  int64_t size = 0;     // bytes; 0: not known
};

struct ViewedNode {
  std::string name, type;
  std::string graph;                // that holds it; empty: the main one
  bool fused = false;               // it is part of what another node stands for
  std::vector<std::string> graphs;  // that it owns, as far as the file says: those of control flow, or what it stands for
  std::vector<std::string> inputs;  // "source:output", "" where absent
  std::vector<std::string> control;
  std::vector<ViewedTensor> outputs;
  std::vector<int64_t> workspace;             // offsets
  std::map<std::string, std::string> attrs;  // as text; those that describe other fields are left out
  int64_t stream = -1;
  int64_t event = -1;         // of Send and Recv
  std::string weight_sha256;  // of a constant whose value the file holds
  bool valued = false;        // a constant
  bool described = true;      // types, shapes, stream and attributes are known

  // For people: nested graphs may repeat names.
  std::string Key() const { return graph.empty() || name.starts_with(graph + "/") ? name : graph + "/" + name; }
};

struct ModelView {
  std::string source;                         // the file, or the stage
  std::string kind;                           // "om", "ge_proto", "ge_onnx", "graph"
  bool placed = false;                        // offsets are meant
  std::map<std::string, std::string> fields;  // of the model: stream_num, memory_size, ...
  std::vector<ViewedNode> nodes;              // in the order of the file
};

// An om of any maker, ge_proto_*.txt or ge_onnx_*.pbtxt, told apart by their contents.
// Throws Error: E10041 (an om that is damaged), E13018 (a text that is none of these, or has a fault), E13001, E13003.
ModelView ViewFile(const std::string& path);

// A graph at a stage; without the values of constants.
ModelView ViewGraph(const Graph& graph);

}  // namespace atc
