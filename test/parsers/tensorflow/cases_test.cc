// Single-operator graphs and small layers against the values that TensorFlow gave (test/dev/tensorflow_cases.py).
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "cmd/omrun/npz.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "parsers/tensorflow/parser.h"

namespace atc {
namespace {

using Members = std::map<std::string, omrun::FileTensor>;

std::map<std::string, Members> ReadCases() {
  std::map<std::string, Members> cases;
  for (omrun::FileTensor& member : omrun::ReadNpz("test/parsers/tensorflow/cases.npz")) {
    const size_t slash = member.name.rfind('/');
    cases[member.name.substr(0, slash)].emplace(member.name.substr(slash + 1), std::move(member));
  }
  return cases;
}

std::string Text(const omrun::FileTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
}

Tensor ToTensor(const omrun::FileTensor& from) {
  Tensor tensor = Tensor::Allocate(static_cast<DataType>(from.type), Shape(from.dims));
  if (!from.bytes.empty()) std::memcpy(tensor.MutableData(), from.bytes.data(), from.bytes.size());
  return tensor;
}

// Empty when the values agree.
std::string Difference(const Tensor& found, const Tensor& wanted) {
  if (found.dtype() != wanted.dtype() || found.shape() != wanted.shape()) {
    return std::string(DataTypeName(found.dtype())) + " " + ToString(found.shape()) + " instead of " +
           std::string(DataTypeName(wanted.dtype())) + " " + ToString(wanted.shape());
  }
  if (!IsFloating(found.dtype()) && !IsInteger(found.dtype()) && found.dtype() != DT_BOOL) return "";
  const bool exact = !IsFloating(found.dtype());
  const std::vector<double> a = ToDoubles(found), b = ToDoubles(wanted);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i]) continue;
    if (!exact && std::fabs(a[i] - b[i]) <= 2e-5 + 1e-4 * std::fabs(b[i])) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + ", wanted " + std::to_string(b[i]);
  }
  return "";
}

// What is refused as unsupported: branches that TensorFlow lowers to _SwitchN, and quantised element types. A case that
// begins to pass leaves the list.
constexpr const char* kUnsupported[] = {"Case", "Quantize_Dequantize"};

bool IsUnsupported(const std::string& name) {
  return std::find(std::begin(kUnsupported), std::end(kUnsupported), name) != std::end(kUnsupported);
}

std::string RunCase(const std::string& name, const Members& members) {
  CompileOptions options;
  const std::string names = Text(members.at("outputs"));
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find('\n', begin), names.size());
    const std::string tensor = names.substr(begin, end - begin);
    const size_t colon = tensor.rfind(':');
    options.out_nodes.push_back({tensor.substr(0, colon), std::stoi(tensor.substr(colon + 1)), ""});
    begin = end + 1;
  }
  std::unique_ptr<Graph> graph = ParseTensorFlowBytes(name, Text(members.at("graph")), options, nullptr);
  graph->Verify();
  InferShapes(*graph);
  std::vector<Tensor> inputs;
  for (const NodeId id : graph->Inputs()) inputs.push_back(ToTensor(members.at(graph->node(id).name)));
  const std::vector<Tensor> outputs = Evaluate(*graph, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string difference = Difference(outputs[i], ToTensor(members.at("out_" + std::to_string(i))));
    if (!difference.empty()) return "output " + std::to_string(i) + ": " + difference;
    const TensorDesc& desc = graph->desc(graph->NetOutput()->inputs[i]);
    Shape merged;
    if (desc.dtype != outputs[i].dtype()) return "output " + std::to_string(i) + " was inferred as another type";
    if (desc.origin_shape.HasRank() && desc.origin_shape.rank() != outputs[i].rank()) {
      return "output " + std::to_string(i) + " was inferred as " + ToString(desc.origin_shape);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("Operators and layers give the values of TensorFlow") {
  const auto cases = ReadCases();
  REQUIRE(cases.size() >= 120);
  for (const auto& [name, members] : cases) {
    std::string fault;
    try {
      fault = RunCase(name, members);
    } catch (const Error& error) {
      fault = error.what();
    }
    INFO(name << ": " << fault);
    CHECK(fault.empty() != IsUnsupported(name));
  }
}

}  // namespace atc
