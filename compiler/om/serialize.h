// Serialising messages so that equal messages give equal bytes, and parsing them quietly.
#pragma once

#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace atc {

// Maps are written sorted by key. E13023 (item, size, maxsize) for a message above 2 GiB, which protobuf cannot write.
std::string Serialize(const google::protobuf::MessageLite& message, const char* item);

// False where the bytes are no such message, or are above 2 GiB. Nothing is printed, as protobuf itself would.
bool Parse(std::string_view bytes, google::protobuf::MessageLite* message);

}  // namespace atc
