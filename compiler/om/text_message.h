// Messages in protobuf's text form.
#pragma once

#include <string>

namespace google::protobuf {
class Message;
}

namespace atc {

// Reads a whole file. Fields that the message does not know are skipped. Throws Error: E13018 (protofile; reason with
// line and column), E13001, E13003.
void ReadTextMessage(const std::string& path, google::protobuf::Message* message);

}  // namespace atc
