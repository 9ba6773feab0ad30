// An ONNX model as JSON, for --mode=1 --framework=5.
#pragma once

#include <string>

#include "compiler/io/byte_sink.h"

namespace atc {

// Writes the model's GraphProto with all that it holds, weights included, as WriteJson of compiler/io/reflect_json.h
// does. Errors: E13001 (cannot be opened), E13015 (empty, or too large for one message), E13005 (no ONNX model), E16004
// (no graph in it).
void WriteOnnxJson(const std::string& path, ByteSink& out);

}  // namespace atc
