// TensorFlow nodes that plugins serve, by what they have registered in SourceMappings.
#pragma once

#include <string>

#include "compiler/ir/source_mapping.h"
#include "parsers/tensorflow/convert.h"

namespace atc::tf_parser {

// nullptr when no plugin serves it.
const SourceMapping* FindCustomOperator(const std::string& op);

// One node of the operator that the mapping names: inputs and outputs in their order, attributes as the plugin maps them.
// Attributes of the source that the operator does not have are left out: TensorFlow writes the types of all ports among
// them. One of another type, or a required one that is missing, is an Error naming the node.
void ConvertCustomOperator(NodeContext& ctx, const SourceMapping& mapping);

}  // namespace atc::tf_parser
