// Which fields of an ONNX file are tensor data, and which are dropped.
#pragma once

#include "parsers/wire_scanner.h"

namespace atc::onnx_parser {

enum class Message : uint8_t { kModel, kTensor, kSequence, kOptional };

// Every TensorProto in the skeleton, at any depth, has `segment.begin` set to its number in `payloads`. Errors as
// ScanFile.
ScannedFile Scan(const ModelFile& file, Message message);

}  // namespace atc::onnx_parser
