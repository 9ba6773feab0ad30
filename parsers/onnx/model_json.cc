#include "parsers/onnx/model_json.h"

#include <onnx/onnx_pb.h>

#include <limits>

#include "compiler/io/mapped_file.h"
#include "compiler/io/reflect_json.h"
#include "compiler/ir/error.h"

namespace atc {

void WriteOnnxJson(const std::string& path, ByteSink& out) {
  constexpr size_t kMaxMessage = std::numeric_limits<int>::max();  // protobuf counts in int
  const Buffer file = MapFile(path);
  if (file.size == 0 || file.size > kMaxMessage) {
    throw Error("E13015",
                {{"file", path}, {"size", std::to_string(file.size)}, {"maxsize", std::to_string(kMaxMessage)}});
  }
  onnx::ModelProto model;
  if (!model.ParseFromArray(file.data, static_cast<int>(file.size))) throw Error("E13005", {{"file", path}});
  if (!model.has_graph()) throw std::move(Error("E16004", {}).At("file " + path));
  WriteJson(model.graph(), JsonStyle{}, out);
}

}  // namespace atc
