#include "cmd/omrun/source.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "cmd/omrun/random_data.h"
#include "cmd/omrun/string_tensor.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {
namespace {

namespace fs = std::filesystem;

bool HasPattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

// Files that a pattern matches, by name.
std::vector<std::string> Matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::error_code ignored;
  std::erase_if(paths, [&](const std::string& path) { return fs::is_directory(path, ignored); });
  std::sort(paths.begin(), paths.end());  // not by the locale, as glob does
  return paths;
}

// Files of a folder that are tensors, by name; outputs.json and the like beside them are none.
std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && IsTensorFileName(name) && name != "outputs.json" && !entry.is_directory(error)) {
      paths.push_back(entry.path().string());
    }
  }
  if (error) throw RunError(fmt::format("cannot read the folder '{}': {}", folder, error.message()));
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The dims that raw bytes stand for: those of --shape, the declared ones, or with one unknown dim what the bytes leave.
std::optional<Dims> DimsOfRaw(const TensorInfo& input, const std::optional<Dims>& given, uint64_t bytes) {
  if (given || input.known()) return given ? *given : input.dims;
  const ElementType* type = FindElementType(input.type);
  Dims dims = input.dims;
  const auto open = std::find(dims.begin(), dims.end(), -1);
  if (!type || type->bits < 8 || open == dims.end() || std::find(open + 1, dims.end(), -1) != dims.end()) {
    return std::nullopt;
  }
  *open = 1;
  uint64_t rest;
  if (!ElementCount(dims, &rest) || rest == 0 || bytes % BytesOf(*type, rest) != 0) return std::nullopt;
  *open = static_cast<int64_t>(bytes / BytesOf(*type, rest));
  return dims;
}

Tensor CheckFile(const TensorInfo& input, const std::optional<Dims>& given, FileTensor file, const std::string& path) {
  const auto mismatch = [&](const std::string& found) {
    return RunError(fmt::format("input '{}' does not fit: expected {}, found {} in '{}'", input.name, Expected(input),
                                found, path));
  };
  const std::string found = Describe(file);
  const ElementType* type = FindElementType(input.type);
  if (!type) throw RunError(fmt::format("input '{}' has an element type that no file can hold", input.name));
  if (!file.has_dims) {
    const std::optional<Dims> dims = DimsOfRaw(input, given, file.bytes.size());
    if (!dims) {
      throw RunError(
          fmt::format("input '{}' has the open shape {}: give its dims with --shape, as raw bytes ('{}', {} "
                      "bytes) do not tell them",
                      input.name, DimsText(input.dims), path, file.bytes.size()));
    }
    file.dims = *dims;
  }
  if (!TakeAs(*type, &file) || !Fits(file.dims, input.dims) || (given && *given != file.dims)) {
    throw mismatch(given ? fmt::format("{} (--shape says {})", found, DimsText(*given)) : found);
  }
  uint64_t count;
  if (!ElementCount(file.dims, &count)) throw mismatch(found);
  if (type->kind == Kind::kString) {
    UnpackStrings({file.type, file.dims, file.bytes});
  } else if (file.bytes.size() != BytesOf(*type, count)) {
    throw mismatch(found);
  }
  return {file.type, std::move(file.dims), std::move(file.bytes)};
}

// The array of an archive that belongs to the input: by name, else the one asked for, else the only one.
FileTensor Select(std::vector<FileTensor> tensors, const TensorInfo& input, int member, const std::string& path) {
  for (FileTensor& tensor : tensors) {
    if (tensor.name == input.name) return std::move(tensor);
  }
  if (tensors.size() == 1) return std::move(tensors[0]);
  if (member >= 0 && static_cast<size_t>(member) < tensors.size()) return std::move(tensors[static_cast<size_t>(member)]);
  std::string names;
  for (const FileTensor& tensor : tensors) names += (names.empty() ? "'" : ", '") + tensor.name + "'";
  throw RunError(fmt::format("'{}' has no array '{}': it holds {}", path, input.name, names));
}

// A text file holds numbers alone: what they are, the input tells.
Tensor LoadText(const Source& source, const TensorInfo& input, size_t index, const std::optional<Dims>& given) {
  const std::vector<std::byte> bytes = ReadBytes(source.text);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  try {
    return ParseLiteral(text, input, {given, 0, index});
  } catch (const RunError& error) {
    throw RunError(fmt::format("'{}' does not fit: {}", source.text, error.what()));
  }
}

}  // namespace

bool NamesFiles(const std::string& text) {
  std::error_code ignored;
  return fs::exists(text, ignored) || (HasPattern(text) && !Matches(text).empty());
}

Sources FindSources(const std::string& text, const TensorInfo& input, const std::string& flag) {
  std::error_code ignored;
  Sources sources;
  const auto add_files = [&](const std::vector<std::string>& paths, const std::string& what) {
    if (paths.empty()) {
      throw RunError(fmt::format("{} '{}': {}; files that can be read are {}", flag, text, what, TensorFileExtensions()));
    }
    for (const std::string& path : paths) sources.all.push_back({Source::Kind::kFile, path, -1});
    sources.several = true;
  };
  if (fs::is_directory(text, ignored)) {
    add_files(FilesOf(text), "the folder has no file of tensors");
  } else if (fs::exists(text, ignored)) {
    sources.all.push_back({Source::Kind::kFile, text, -1});
  } else if (LooksLikeLiteral(text, input.type)) {
    sources.all.push_back({Source::Kind::kLiteral, text, -1});
  } else if (HasPattern(text)) {
    add_files(Matches(text), "no file matches the pattern (quote it, so that the shell leaves it alone)");
  } else {
    sources.all.push_back({Source::Kind::kFile, text, -1});  // reading it says why not
  }
  return sources;
}

Tensor LoadSource(const Source& source, const TensorInfo& input, size_t index, const std::optional<Dims>& given,
                  const Filling& filling) {
  if (source.kind == Source::Kind::kLiteral) return ParseLiteral(source.text, input, {given, filling.seed, index});
  if (source.kind == Source::Kind::kFile) {
    if (fs::path(source.text).extension() == ".txt" && input.type != ACL_STRING) return LoadText(source, input, index, given);
    return CheckFile(input, given, Select(ReadTensorFile(source.text), input, source.member, source.text), source.text);
  }
  const Dims dims = DimsToFill(input, given);
  Tensor tensor = filling.zeros ? ParseLiteral("zero", input, {dims, 0, index})
                                : RandomTensor(input.type, dims, filling.seed, index);
  if (input.known() && tensor.bytes.size() != input.bytes) {
    throw RunError(fmt::format("input '{}' takes {} bytes for {}, the device expects {}", input.name,
                               tensor.bytes.size(), DimsText(dims), input.bytes));
  }
  return tensor;
}

std::string SourceText(const Source& source, const Filling& filling) {
  if (source.kind == Source::Kind::kFile) return source.text;
  if (source.kind == Source::Kind::kMade) return filling.zeros ? "zeros" : fmt::format("random data, seed {}", filling.seed);
  return source.text.size() > 40 ? fmt::format("'{}...'", source.text.substr(0, 37)) : fmt::format("'{}'", source.text);
}

std::string StemOf(const std::string& path) { return fs::path(path).stem().string(); }

}  // namespace atc::omrun
