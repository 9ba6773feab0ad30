// Functions that a model defines: identity, and the nodes that a call stands for.
#pragma once

#include <vector>

#include <onnx/onnx_pb.h>

#include "parsers/onnx/graph_builder.h"

namespace atc::onnx_parser {

ModelState::FunctionKey KeyOf(const onnx::NodeProto& call);
ModelState::FunctionKey KeyOf(const onnx::FunctionProto& function);

// The nodes of `function` with references to its attributes replaced by those of the call, or by their defaults, nested
// graphs included; attributes that are neither given nor have a default are left out.
std::vector<onnx::NodeProto> BodyFor(const onnx::NodeProto& call, const onnx::FunctionProto& function);

// E16005 when a domain is imported with two versions.
Opsets OpsetsOf(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports);

}  // namespace atc::onnx_parser
