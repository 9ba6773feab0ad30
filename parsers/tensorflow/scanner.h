// Which fields of TensorFlow's files are tensor data, and which are dropped.
#pragma once

#include "parsers/wire_scanner.h"

namespace atc::tf_parser {

enum class Message : uint8_t { kGraphDef, kSavedModel };

// Every TensorProto in the skeleton, at any depth, has `payload` set to its number in `payloads`. Errors as ScanFile.
ScannedFile Scan(const ModelFile& file, Message message);

}  // namespace atc::tf_parser
