#include "compiler/om/text_message.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
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
    if (!text.empty()) return;
    text = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
    place = line;
  }

  std::string text;
  int place = 0;  // the line, from 0 on
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
  if (parser.Parse(&stream, message)) return;
  const std::string_view text(reinterpret_cast<const char*>(file.data), file.size);
  const std::string_view whole = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  if (fault.place < std::count(whole.begin(), whole.end(), '\n')) {
    throw Error("E13018", {{"protofile", path}, {"reason", fault.text}});
  }
  throw Error("E13018", {{"protofile", path}, {"reason", fault.text + "; the file ends on this line"}},
              "Where it was cut short, write it anew.");
}

Error NoGraph(const std::string& path) {
  return Error("E13018", {{"protofile", path}, {"reason", "it holds no graph"}},
               "Give a dump of a stage, ge_proto_*.txt or ge_onnx_*.pbtxt; where it was cut short, write it anew.");
}

}  // namespace atc
