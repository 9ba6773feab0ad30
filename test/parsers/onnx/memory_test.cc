// Initializers stay in the mapped file, whatever their alignment and their field.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

// Anonymous memory of this process in kB; 0 where the system does not tell.
int64_t AnonymousKb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8));
  }
  return 0;
}

TEST_CASE("parsing takes little memory beside the mapped file") {
  namespace fs = std::filesystem;
  const std::string path =
      (fs::temp_directory_path() / ("atc_memory_" + std::to_string(::getpid()) + ".onnx")).string();
  constexpr int64_t kElements = 4 << 20;
  const std::vector<std::string> names = {"w", "ww", "www", "wwww", "halves"};
  {
    onnx::ModelProto model = EmptyModel();
    onnx::GraphProto* graph = model.mutable_graph();
    AddValue(graph->add_input(), "x", {1});
    for (const std::string& name : names) {
      onnx::TensorProto* tensor = graph->add_initializer();
      tensor->set_name(name);
      tensor->add_dims(kElements);
      if (name == "halves") {  // fp16 bits in int32_data, decoded only when asked for
        tensor->set_data_type(onnx::TensorProto::FLOAT16);
        tensor->mutable_int32_data()->Resize(kElements, 0x3C00);
      } else {  // four lengths of name: every alignment
        tensor->set_data_type(onnx::TensorProto::FLOAT);
        tensor->set_raw_data(std::string(kElements * 4, '\0'));
      }
      AddNode(graph, "Identity", "copy_" + name, {name}, {"y_" + name});
      AddValue(graph->add_output(), "y_" + name, {kElements});
    }
    std::ofstream out(path, std::ios::binary);
    REQUIRE(model.SerializeToOstream(&out));
  }
  const int64_t before = AnonymousKb();
  const auto graph = ParseOnnx(path, {}, nullptr);
  const int64_t after = AnonymousKb();
  CHECK(after - before < 8 * 1024);  // of 72 MB
  for (const std::string& name : names) {
    const Tensor tensor = graph->Constant(graph->Find(name)->outputs[0])->Materialized();
    CHECK(tensor.NumElements() == kElements);
    CHECK(reinterpret_cast<uintptr_t>(tensor.Data()) % (DataTypeBits(tensor.dtype()) / 8) == 0);
  }
  fs::remove(path);
}

}  // namespace
}  // namespace atc::testing
