// Nodes that plugins serve, by what they have registered in SourceMappings.
#pragma once

#include <string>

#include "compiler/ir/source_mapping.h"
#include "parsers/onnx/check_node.h"
#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {

// nullptr when no plugin serves it. `opset` 0: the model does not import the domain.
const SourceMapping* FindCustomOperator(const std::string& domain, const std::string& op_type, int opset);

// One node of the operator that the mapping names: inputs and outputs in their order, attributes as the plugin maps them.
// The node notes what it came from and the file name of the library. Attributes that the operator does not have are
// noted in `unknown`; one of another type, or a required one that is missing, is an Error naming the node.
void ConvertCustomOperator(NodeContext& ctx, const SourceMapping& mapping, UnknownAttributes* unknown);

}  // namespace atc::onnx_parser
