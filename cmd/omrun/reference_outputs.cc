#include "cmd/omrun/reference_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cmd/omrun/shape_text.h"
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

// The entries of outputs.json for the sample; none when there is no such file.
std::vector<Layout> ReadOutputsJson(const fs::path& path, const std::string& sample) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const std::vector<std::byte> bytes = ReadBytes(path.string());
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  try {
    auto json = nlohmann::json::parse(text, text + bytes.size());
    if (json.is_object()) {
      nlohmann::json own;
      for (const auto& entry : json.at("samples")) {
        if (entry.at("name").get<std::string>() == sample) own = entry.at("outputs");
      }
      json = own.is_null() ? nlohmann::json::array() : own;
    }
    std::vector<Layout> layouts;
    for (const auto& entry : json) {
      const ElementType* type = FindElementType(entry.at("dtype").get<std::string>());
      layouts.push_back({type ? type->acl : ACL_DT_UNDEFINED, entry.at("shape").get<Dims>(), entry.value("file", "")});
    }
    return layouts;
  } catch (const nlohmann::json::exception& error) {
    throw RunError(fmt::format("'{}' is not what --output writes: {}", path.string(), error.what()));
  }
}

// The format in which output i is there: the one that outputs.json names, since others may be of an earlier run.
std::optional<OutputFormat> FindOutput(const fs::path& folder, const std::string& sample, size_t index,
                                       const std::string& named) {
  std::error_code ignored;
  for (const OutputFormat format : {OutputFormat::kNpy, OutputFormat::kBin, OutputFormat::kTxt, OutputFormat::kJson}) {
    const std::string name = OutputFileName(sample, index, format);
    if ((named.empty() || named == name) && fs::exists(folder / name, ignored)) return format;
  }
  return std::nullopt;
}

Tensor ReadOne(const std::string& path, const Layout& layout, aclDataType expected) {
  const ElementType* type = FindElementType(layout.type);
  try {
    const std::string extension = fs::path(path).extension().string();
    if (extension == ".txt") return ParseText(ReadBytes(path), layout.type, layout.dims);
    FileTensor file = std::move(ReadTensorFile(path).front());
    if (!file.has_dims) {
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

std::vector<std::string> CommaParts(const std::string& argument) {
  std::error_code ignored;
  if (fs::exists(argument, ignored) || argument.find(',') == std::string::npos) return {argument};
  std::vector<std::string> parts;
  for (std::string_view rest = argument; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    parts.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return parts;
}

}  // namespace

std::string OutputFileName(const std::string& sample, size_t index, OutputFormat format) {
  return fmt::format("{}_{}{}", sample.empty() ? "out" : sample, index, Extension(format));
}

std::string FormatOutputsJson(const std::vector<TensorInfo>& infos, const std::vector<Sample>& samples, bool named,
                              const std::vector<std::vector<WrittenOutput>>& outputs, OutputFormat format) {
  Json all = Json::array();
  for (size_t s = 0; s < samples.size(); ++s) {
    const std::string name = named ? samples[s].name : "";
    Json list = Json::array();
    for (size_t i = 0; i < outputs[s].size(); ++i) {
      list.push_back({{"name", infos[i].name},
                      {"shape", outputs[s][i].dims},
                      {"dtype", TypeName(outputs[s][i].type)},
                      {"file", OutputFileName(name, i, format)}});
    }
    if (named) all.push_back({{"name", name}, {"outputs", std::move(list)}});
    else all = std::move(list);
  }
  const Json json = named ? Json{{"samples", std::move(all)}} : std::move(all);
  // Names come from the model file and may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

References::References(const std::vector<std::string>& arguments, const Samples& samples,
                       const std::vector<TensorInfo>& outputs)
    : samples_(samples), infos_(outputs), files_(outputs.size()) {
  std::error_code ignored;
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    for (const std::string& part : CommaParts(argument)) {
      if (!fs::is_directory(part, ignored)) {
        files.push_back(part);
      } else if (!folder_.empty()) {
        throw RunError(fmt::format("--compare: '{}' and '{}' are two folders; one holds the references", folder_, part));
      } else {
        folder_ = part;
      }
    }
  }
  const auto texts = Distribute(files, outputs, "--compare");
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!texts[i]) continue;
    if (!fs::is_regular_file(*texts[i], ignored)) throw RunError(fmt::format("--compare: '{}' is not a folder, and no file", *texts[i]));
    files_[i] = *texts[i];
  }
  if (!files.empty() && samples.all.size() > 1) {
    throw RunError(fmt::format("--compare names files for one sample, there are {}: name a folder, or the files in a manifest",
                               samples.all.size()));
  }
  any_ = !folder_.empty() || !files.empty();
  for (const Sample& sample : samples.all) {
    any_ = any_ || std::any_of(sample.references.begin(), sample.references.end(), [](const auto& file) { return !file.empty(); });
  }
}

std::vector<std::optional<Tensor>> References::Of(const Sample& sample, const std::vector<Tensor>& outputs) const {
  std::vector<std::optional<Tensor>> references(outputs.size());
  std::vector<std::string> files = files_;
  for (size_t i = 0; i < sample.references.size(); ++i) {
    if (!sample.references[i].empty()) files[i] = sample.references[i];
  }
  const std::string name = samples_.named ? sample.name : "";
  std::vector<Layout> layouts;
  if (!folder_.empty()) {
    layouts = ReadOutputsJson(fs::path(folder_) / "outputs.json", name);
    // outputs.json tells their number; without it one more file than the model has outputs shows another model's.
    if (layouts.empty() ? FindOutput(folder_, name, outputs.size(), "").has_value() : layouts.size() != outputs.size()) {
      throw RunError(fmt::format("--compare: '{}' is of a model with {} outputs, this one has {}", folder_,
                                 layouts.empty() ? "more" : fmt::format("{}", layouts.size()), outputs.size()));
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Layout own{outputs[i].type, outputs[i].dims, ""};
    if (!files[i].empty()) {
      references[i] = ReadOne(files[i], own, outputs[i].type);
    } else if (!folder_.empty()) {
      const Layout layout = layouts.empty() ? own : layouts[i];
      const std::optional<OutputFormat> format = FindOutput(folder_, name, i, layout.file);
      if (!format) {
        const bool of_samples = name.empty() && fs::exists(fs::path(folder_) / "outputs.json");
        throw RunError(fmt::format("--compare: '{}' has no {}_{} (.npy, .bin, .txt or .json); the model has {} outputs{}",
                                   folder_, name.empty() ? "out" : name, i, outputs.size(),
                                   of_samples ? "; the folder may be of several samples: give their --input or --manifest too" : ""));
      }
      references[i] = ReadOne((fs::path(folder_) / OutputFileName(name, i, *format)).string(), layout, outputs[i].type);
    }
  }
  return references;
}

}  // namespace atc::omrun
