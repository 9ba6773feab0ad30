// Inputs and outputs of a model: which nodes they are, and how users name them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"
#include "parsers/tensorflow/source_graph.h"

namespace atc::tf_parser {

// Outputs of the model, and the names that the om gives them.
struct Outputs {
  std::vector<Port> ports;
  std::vector<std::string> names;
};

// Names that the interface of a SavedModel gives to tensors ("serving_default_x:0").
struct Signature {
  std::string name;                                          // empty: none
  std::vector<std::pair<std::string, std::string>> inputs;   // name of the interface, tensor; sorted by name
  std::vector<std::pair<std::string, std::string>> outputs;
};

// Those of --out_nodes, else those of the signature, else the leaves: nodes whose outputs no node takes, in the order of
// the file, apart from those that compute nothing (constants, checks, summaries).
// Errors: E10016 (no such node), E16001 (no leaf).
Outputs FindOutputs(const SourceGraph& graph, const CompileOptions& options, const Signature& signature);

// The inputs that the outputs depend on, in the order of the file (that of the signature, if there is one), with
// --input_shape and --input_format applied.
// Errors as ApplyInputShapes.
std::vector<std::pair<uint32_t, TensorDesc>> FindInputs(const SourceGraph& graph, const std::vector<Port>& outputs,
                                                        const CompileOptions& options, const Signature& signature);

}  // namespace atc::tf_parser
