// A TensorFlow model as JSON, for --mode=1 --framework=3.
#pragma once

#include <string>

#include "compiler/io/byte_sink.h"

namespace atc {

// Writes the GraphDef (of a SavedModel the one that is served) with all that it holds, weights included, as WriteJson of
// compiler/io/reflect_json.h does: "node", "library", "versions". Errors: E13005, E13015.
void WriteTensorFlowJson(const std::string& path, ByteSink& out);

}  // namespace atc
