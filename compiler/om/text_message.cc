#include "compiler/om/text_message.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <climits>

#include "compiler/io/mapped_file.h"
#include "compiler/ir/error.h"

namespace atc {
namespace {

constexpr int kDeepest = 100;  // messages within messages

// Keeps the first fault that the text parser finds.
class FirstFault : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
  }

  std::string text;
};

}  // namespace

void ReadTextMessage(const std::string& path, google::protobuf::Message* message) {
  const Buffer file = MapFile(path);
  if (file.size > INT_MAX) {
    throw Error("E13018",
                {{"protofile", path}, {"reason", fmt::format("{} bytes; the limit is {}", file.size, INT_MAX)}});
  }
  google::protobuf::io::ArrayInputStream stream(file.data, static_cast<int>(file.size));
  google::protobuf::TextFormat::Parser parser;
  FirstFault fault;
  parser.RecordErrorsTo(&fault);
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(kDeepest);
  if (!parser.Parse(&stream, message)) throw Error("E13018", {{"protofile", path}, {"reason", fault.text}});
}

}  // namespace atc
