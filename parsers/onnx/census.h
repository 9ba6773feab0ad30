// Which operators a model uses, how often, and whether they can be read.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "parsers/onnx/graph_builder.h"

namespace atc::onnx_parser {

struct OperatorUse {
  int count = 0;           // nodes; those of a function that the model defines count once, however often it is called
  std::string first_node;  // a node without name is called "<type>_<number>"
  bool supported = false;  // there is a converter for the version that the model imports
};

// Domain ("ai.onnx" written out), type, version that the model or function imports for the domain (0: none).
using OperatorCensus = std::map<std::tuple<std::string, std::string, int>, OperatorUse>;

// Of a graph, the graphs nested in it and the functions that it calls.
OperatorCensus TakeCensus(const ModelState& model, const onnx::GraphProto& graph);

// E16002 with all operators that cannot be read, if there are any.
void RefuseUnsupported(const OperatorCensus& census);

}  // namespace atc::onnx_parser
