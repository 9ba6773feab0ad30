#include "test/backend_cases/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "parsers/onnx/value_file.h"
#include "test/backend_cases/compare.h"

namespace atc::backend_cases {
namespace {

namespace fs = std::filesystem;

// Older suites write bf16 data as uint16; `dtype` is what the model says.
Tensor ReadValue(const std::string& path, DataType dtype) {
  if (dtype == DT_VARIANT) return ReadVariantFile(path);
  const Tensor tensor = ReadTensorFile(path);
  return dtype == DT_BF16 && tensor.dtype() == DT_UINT16 ? tensor.Bitcast(DT_BF16) : tensor;
}

// The light models come without inputs: those that their outputs were made from are 0, 1/n, 2/n, ... in float.
Tensor LightInput(const TensorDesc& desc) {
  Shape shape = desc.shape;
  for (int64_t& dim : shape.dims()) dim = std::max<int64_t>(dim, 1);
  Tensor tensor = Tensor::Allocate(DT_FLOAT, shape);
  const int64_t n = tensor.NumElements();
  for (int64_t i = 0; i < n; ++i) {
    tensor.MutableData<float>()[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(n));
  }
  return tensor;
}

using Comparison = std::string (*)(const Tensor& expected, const Tensor& found);

std::string CompareAll(const std::vector<Tensor>& found, Comparison compare,
                       const std::function<std::string(size_t)>& path_of) {
  size_t count = 0;
  for (; fs::exists(path_of(count)); ++count) {
    if (count >= found.size()) return fmt::format("{} outputs, more are expected", found.size());
    const std::string difference = compare(ReadValue(path_of(count), found[count].dtype()), found[count]);
    if (!difference.empty()) return fmt::format("output {}: {}", count, difference);
  }
  if (count == 0) return "the case has no expected output";
  return "";
}

std::vector<Shape> ShapesOf(const std::vector<Tensor>& tensors) {
  std::vector<Shape> shapes;
  for (const Tensor& tensor : tensors) shapes.push_back(tensor.shape());
  return shapes;
}

std::string RunLight(const Case& which, Route& route, Comparison compare) {
  std::vector<Tensor> inputs;
  for (const TensorDesc& desc : route.Inputs()) inputs.push_back(LightInput(desc));
  route.Prepare(ShapesOf(inputs));
  const std::string stem = which.model.substr(0, which.model.size() - std::string(".onnx").size());
  return CompareAll(route.Run(std::move(inputs)), compare,
                    [&](size_t i) { return fmt::format("{}_output_{}.pb", stem, i); });
}

std::string RunDataSets(const Case& which, Route& route, Comparison compare) {
  const fs::path folder = fs::path(which.model).parent_path();
  const std::vector<TensorDesc> descs = route.Inputs();
  int sets = 0;
  for (;; ++sets) {
    const fs::path set = folder / fmt::format("test_data_set_{}", sets);
    if (!fs::exists(set)) break;
    std::vector<Tensor> inputs;
    for (size_t i = 0;; ++i) {
      const fs::path path = set / fmt::format("input_{}.pb", i);
      if (!fs::exists(path)) break;
      inputs.push_back(ReadValue(path.string(), i < descs.size() ? descs[i].dtype : DT_UNDEFINED));
    }
    if (sets == 0) route.Prepare(ShapesOf(inputs));
    const std::string difference = CompareAll(route.Run(std::move(inputs)), compare, [&](size_t i) {
      return (set / fmt::format("output_{}.pb", i)).string();
    });
    if (!difference.empty()) return fmt::format("data set {}, {}", sets, difference);
  }
  return sets == 0 ? "the case has no data set" : "";
}

bool IsUnsupported(const Diagnostic& diagnostic) {
  if (diagnostic.code == "E16002" || diagnostic.code == "E10501") return true;
  return diagnostic.code == "E19999" && MessageText(diagnostic).find("has no kernel") != std::string::npos;
}

std::string Text(const Diagnostic& diagnostic) {
  std::string text = diagnostic.code + ": " + MessageText(diagnostic);
  for (const std::string& place : diagnostic.context) {
    if (!place.starts_with("file")) text += " | " + place;
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool IsLight(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("light_") && name.ends_with(".onnx");
}

}  // namespace

std::vector<Case> FindCases(const std::string& folder) {
  std::vector<Case> cases;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.filename() != "model.onnx" && !IsLight(path)) continue;
    const fs::path test = IsLight(path) ? path.parent_path() / path.stem() : path.parent_path();
    cases.push_back({(test.parent_path().filename() / test.filename()).string(), path.string()});
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

Outcome RunCase(const Case& which, Route& route, Exemption exemption) {
  if (exemption == Exemption::kCodec) return {Outcome::kExempt, ""};
  const bool random = exemption == Exemption::kRandom;
  const Comparison compare = random ? StatisticalDifference : Difference;
  try {
    route.Load(which.model);
    const std::string difference =
        IsLight(which.model) ? RunLight(which, route, compare) : RunDataSets(which, route, compare);
    return {!difference.empty() ? Outcome::kFail : random ? Outcome::kRandom : Outcome::kPass, difference};
  } catch (const Error& error) {
    return {IsUnsupported(error.diagnostic()) ? Outcome::kUnsupported : Outcome::kFail, Text(error.diagnostic())};
  } catch (const std::exception& error) {
    return {Outcome::kFail, error.what()};
  }
}

}  // namespace atc::backend_cases
