// --out_nodes against the nodes of a model.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/options.h"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace atc::onnx_parser {

// The name of a node, which the ONNX file may leave out: then "<type>_<number>".
std::string NodeName(const onnx::NodeProto& node, size_t number);

// The tensors that the options name, in their order. Errors, each with all faults of its kind and the whole flag as it
// could be: E10016 (nodes and tensors that the model lacks), E10003 (indices that a node does not have).
std::vector<std::string> ChosenOutputs(const onnx::GraphProto& proto, const std::vector<OutNodeOption>& chosen);

}  // namespace atc::onnx_parser
