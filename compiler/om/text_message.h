// Messages in protobuf's text form.
#pragma once

#include <string>

#include "compiler/ir/error.h"

namespace google::protobuf {
class Message;
}

namespace atc {

// Reads a whole file. Fields that the message does not know are skipped. Throws Error: E13018 (protofile; reason with
// line and column), E13001, E13003.
void ReadTextMessage(const std::string& path, google::protobuf::Message* message);

// What to throw where a dump was asked for and the text, which may be empty or about something else, holds no graph.
Error NoGraph(const std::string& path);

}  // namespace atc
