#include "test/backend_cases/written_cases.h"

#include <onnx/defs/parser.h>

#include <fstream>
#include <stdexcept>

#include "compiler/ops/evaluator.h"
#include "parsers/onnx/parser.h"
#include "parsers/tensorflow/parser.h"

namespace atc::backend_cases {
namespace {

constexpr std::string_view kHead = "=== ";

std::unique_ptr<Graph> Parse(const Case& which) {
  if (which.text.starts_with("node ")) return ParseTensorFlowBytes(which.name, which.text, CompileOptions(), nullptr);
  onnx::ModelProto model;
  onnx::OnnxParser parser(which.text.c_str());
  if (const auto status = parser.Parse(model); !status.IsOK()) throw std::runtime_error(status.ErrorMessage());
  return ParseOnnxBytes(which.name, model.SerializeAsString(), CompileOptions(), nullptr);
}

// Whatever the operator; `number` is that of the input.
Tensor MadeUp(const TensorDesc& desc, int64_t number) {
  constexpr const char* kWords[] = {"a", "b", "c", "ab"};
  Tensor tensor = Tensor::Allocate(desc.dtype, desc.shape);
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    const int64_t k = i + 5 * number;
    switch (desc.dtype) {
      case DT_FLOAT: tensor.MutableData<float>()[i] = static_cast<float>(k * 37 % 23 - 11) / 10; break;
      case DT_INT32: tensor.MutableData<int32_t>()[i] = static_cast<int32_t>(k * 7 % 3); break;
      case DT_INT64: tensor.MutableData<int64_t>()[i] = k * 7 % 3; break;
      case DT_BOOL: tensor.MutableData<bool>()[i] = k % 2 == 0; break;
      case DT_STRING: tensor.MutableData<std::string>()[i] = kWords[k % 4]; break;
      default: throw std::runtime_error("no values are made up for this type");
    }
  }
  return tensor;
}

}  // namespace

std::vector<Case> ReadWrittenCases(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kHead)) {
      cases.push_back({"written/" + line.substr(kHead.size()), "", ""});
    } else if (!cases.empty()) {
      cases.back().text += line + "\n";
    }
  }
  return cases;
}

LoadedCase LoadWrittenCase(const Case& which) {
  LoadedCase loaded{which.name, Parse(which), {}, {}};
  for (const NodeId id : loaded.graph->Inputs()) {
    const TensorDesc& desc = loaded.graph->desc(loaded.graph->node(id).outputs[0]);
    loaded.inputs.push_back(MadeUp(desc, static_cast<int64_t>(loaded.inputs.size())));
  }
  loaded.outputs = Evaluate(*loaded.graph, loaded.inputs);
  return loaded;
}

}  // namespace atc::backend_cases
