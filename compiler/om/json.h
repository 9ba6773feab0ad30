// Graphs of oms and of text dumps as JSON, for --mode=1 and --mode=5.
#pragma once

#include <string>

#include "compiler/io/byte_sink.h"

namespace atc {

// The MODEL_DEF of an om of any maker, of its first model, in the form of compiler/io/reflect_json.h, without the
// fields that hold contents, offsets and sizes of single tensors. Compressed attributes are expanded, and fused
// operators of vendors' models get the attribute group_op_name. Errors: E10041 (parameter, reason), E13001, E13003.
void WriteOmJson(const std::string& path, ByteSink& out);

// The same of a ge_proto_*.txt dump. Errors: E13018 (protofile; reason: line, column and fault), E13001, E13003.
void WriteTextDumpJson(const std::string& path, ByteSink& out);

}  // namespace atc
