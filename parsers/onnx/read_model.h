// The messages of an ONNX file without the data of its tensors.
#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "parsers/model_file.h"
#include "parsers/onnx/graph_builder.h"
#include "parsers/onnx/scanner.h"

namespace atc::onnx_parser {

// `payloads` tells where the data are; see scanner.h. Errors: E13005, E16004 (no graph), E16001 (no outputs).
onnx::ModelProto ReadModelProto(const ModelFile& file, std::vector<TensorPayload>* payloads);

// Opsets and functions of a model; pointers into `proto`. A file older than operator sets imports version 1 of ai.onnx.
// Errors: E16005.
ModelState StateOf(const onnx::ModelProto& proto);

}  // namespace atc::onnx_parser
