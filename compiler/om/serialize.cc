#include "compiler/om/serialize.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <climits>

#include "compiler/ir/error.h"

namespace atc {

std::string Serialize(const google::protobuf::MessageLite& message, const char* item) {
  const size_t size = message.ByteSizeLong();
  if (size > INT_MAX) {
    throw Error("E13023", {{"item", item}, {"size", std::to_string(size)}, {"maxsize", std::to_string(INT_MAX)}});
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&coded);
  }
  return bytes;
}

bool Parse(std::string_view bytes, google::protobuf::MessageLite* message) {
  const google::protobuf::LogSilencer quiet;
  return bytes.size() <= INT_MAX && message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace atc
