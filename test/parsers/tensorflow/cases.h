// Models with the inputs and outputs that TensorFlow gave, as test/dev/tensorflow_cases.py and compare_tensorflow.py write
// them: "<case>/graph", "<case>/outputs" (names, one a line), "<case>/<input>", "<case>/out_<i>".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cmd/omrun/npz.h"
#include "compiler/ir/graph.h"
#include "parsers/tensorflow/parser.h"

namespace atc::tf_cases {

using Members = std::map<std::string, omrun::FileTensor>;

inline std::map<std::string, Members> ReadCases(const std::string& file) {
  std::map<std::string, Members> cases;
  for (omrun::FileTensor& member : omrun::ReadNpz(file)) {
    const size_t slash = member.name.rfind('/');
    cases[member.name.substr(0, slash)].emplace(member.name.substr(slash + 1), std::move(member));
  }
  return cases;
}

inline std::string Text(const omrun::FileTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
}

inline Tensor ToTensor(const omrun::FileTensor& from) {
  Tensor tensor = Tensor::Allocate(static_cast<DataType>(from.type), Shape(from.dims));
  if (!from.bytes.empty()) std::memcpy(tensor.MutableData(), from.bytes.data(), from.bytes.size());
  return tensor;
}

struct Tolerance {
  double relative, absolute;
};

// Empty when the values agree, integers exactly.
inline std::string Difference(const Tensor& found, const Tensor& wanted, Tolerance tolerance) {
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
    if (!exact && std::fabs(a[i] - b[i]) <= tolerance.absolute + tolerance.relative * std::fabs(b[i])) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + ", wanted " + std::to_string(b[i]);
  }
  return "";
}

// What is wrong with the outputs of a case; empty when nothing is.
inline std::string FirstDifference(const std::vector<Tensor>& outputs, const Members& members, Tolerance tolerance) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string difference = Difference(outputs[i], ToTensor(members.at("out_" + std::to_string(i))), tolerance);
    if (!difference.empty()) return "output " + std::to_string(i) + ": " + difference;
  }
  return "";
}

// The graph of a case, with its outputs in order; `fixed`: for the shapes of its inputs.
inline std::unique_ptr<Graph> Parse(const std::string& name, const Members& members, bool fixed = false,
                                    CompileOptions options = {}, Diagnostics* diagnostics = nullptr) {
  for (const auto& [input, tensor] : members) {
    if (!fixed || input == "graph" || input == "outputs" || input.starts_with("out_")) continue;
    std::vector<DimRange> dims;
    for (const int64_t dim : tensor.dims) dims.push_back({dim, dim});
    options.input_shapes.push_back({input, std::move(dims)});
  }
  const std::string names = Text(members.at("outputs"));
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find('\n', begin), names.size());
    const std::string tensor = names.substr(begin, end - begin);
    const size_t colon = tensor.rfind(':');
    options.out_nodes.push_back({tensor.substr(0, colon), std::stoi(tensor.substr(colon + 1)), ""});
    begin = end + 1;
  }
  return ParseTensorFlowBytes(name, Text(members.at("graph")), options, diagnostics);
}

inline std::vector<Tensor> Inputs(const Graph& graph, const Members& members) {
  std::vector<Tensor> inputs;
  for (const NodeId id : graph.Inputs()) inputs.push_back(ToTensor(members.at(graph.node(id).name)));
  return inputs;
}

}  // namespace atc::tf_cases
