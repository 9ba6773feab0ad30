#include "cmd/omrun/reference_outputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "cmd/omrun/tensor_text.h"

namespace atc::omrun {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Layout {
  aclDataType type;
  Dims dims;
  std::string file;  // "" when not told
};

// The entries of outputs.json; none when there is no such file.
std::vector<Layout> ReadOutputsJson(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const std::vector<std::byte> bytes = ReadBytes(path.string());
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  try {
    std::vector<Layout> layouts;
    for (const auto& entry : nlohmann::json::parse(text, text + bytes.size())) {
      const ElementType* type = FindElementType(entry.at("dtype").get<std::string>());
      layouts.push_back({type ? type->acl : ACL_DT_UNDEFINED, entry.at("shape").get<Dims>(), entry.value("file", "")});
    }
    return layouts;
  } catch (const nlohmann::json::exception& error) {
    throw RunError(fmt::format("'{}' is not what --output writes: {}", path.string(), error.what()));
  }
}

// The format in which output i is there: the one that outputs.json names, since others may be of an earlier run.
std::optional<OutputFormat> FindOutput(const fs::path& folder, size_t index, const std::string& named) {
  std::error_code ignored;
  for (const OutputFormat format : {OutputFormat::kNpy, OutputFormat::kBin, OutputFormat::kTxt}) {
    const std::string name = OutputFileName(index, format);
    if ((named.empty() || named == name) && fs::exists(folder / name, ignored)) return format;
  }
  return std::nullopt;
}

Tensor ReadOne(const std::string& path, OutputFormat format, const Layout& layout, aclDataType expected) {
  const ElementType* type = FindElementType(layout.type);
  try {
    if (format == OutputFormat::kTxt) return ParseText(ReadBytes(path), layout.type, layout.dims);
    FileTensor file = std::move(ReadTensorFile(path).front());
    if (format == OutputFormat::kBin) {
      uint64_t count;
      if (!type || !ElementCount(layout.dims, &count) || file.bytes.size() != BytesOf(*type, count)) {
        throw RunError(fmt::format("{} {} does not take its {} bytes", TypeName(layout.type), DimsText(layout.dims),
                                   file.bytes.size()));
      }
      return {layout.type, layout.dims, std::move(file.bytes)};
    }
    const ElementType* wanted = FindElementType(expected);
    if (wanted) TakeAs(*wanted, &file);  // a different type stays as it is: the comparison reports it
    return {file.type, std::move(file.dims), std::move(file.bytes)};
  } catch (const RunError& error) {
    const std::string text = error.what();
    throw RunError(text.find(path) == std::string::npos ? fmt::format("'{}' cannot be used: {}", path, text) : text);
  }
}

}  // namespace

std::string OutputFileName(size_t index, OutputFormat format) {
  return fmt::format("out_{}{}", index, Extension(format));
}

std::string FormatOutputsJson(const std::vector<TensorInfo>& infos, const std::vector<Tensor>& outputs,
                              OutputFormat format) {
  Json list = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    list.push_back({{"name", infos[i].name},
                    {"shape", outputs[i].dims},
                    {"dtype", TypeName(outputs[i].type)},
                    {"file", OutputFileName(i, format)}});
  }
  // Names come from the model file and may be no UTF-8.
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void CheckReferenceFolder(const std::string& folder) {
  std::error_code ignored;
  if (folder.empty() || fs::is_directory(folder, ignored)) return;
  throw RunError(fmt::format("--compare: '{}' is not a folder", folder));
}

std::vector<Tensor> ReadReferenceOutputs(const std::string& folder, const std::vector<Tensor>& outputs) {
  const std::vector<Layout> layouts = ReadOutputsJson(fs::path(folder) / "outputs.json");
  // outputs.json tells their number; without it one more file than the model has outputs shows another model's.
  if (layouts.empty() ? FindOutput(folder, outputs.size(), "").has_value() : layouts.size() != outputs.size()) {
    throw RunError(fmt::format("--compare: '{}' is of a model with {} outputs, this one has {}", folder,
                               layouts.empty() ? "more" : fmt::format("{}", layouts.size()), outputs.size()));
  }
  std::vector<Tensor> references;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Layout layout = layouts.empty() ? Layout{outputs[i].type, outputs[i].dims, ""} : layouts[i];
    const std::optional<OutputFormat> format = FindOutput(folder, i, layout.file);
    if (!format) {
      throw RunError(fmt::format("--compare: '{}' has no out_{} (.npy, .bin or .txt); the model has {} outputs", folder,
                                 i, outputs.size()));
    }
    const std::string path = (fs::path(folder) / OutputFileName(i, *format)).string();
    references.push_back(ReadOne(path, *format, layout, outputs[i].type));
  }
  return references;
}

}  // namespace atc::omrun
