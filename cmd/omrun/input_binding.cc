#include "cmd/omrun/input_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cmd/omrun/options.h"
#include "cmd/omrun/random_data.h"
#include "cmd/omrun/string_tensor.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {
namespace {

using Inputs = std::vector<TensorInfo>;

std::string NameList(const Inputs& inputs) {
  std::string list;
  for (const TensorInfo& input : inputs) list += (list.empty() ? "'" : ", '") + input.name + "'";
  return list.empty() ? "none" : list;
}

// Gives every argument an input: the named ones first, the others fill up in order.
std::vector<std::optional<std::string>> Distribute(const std::vector<std::string>& arguments, const Inputs& inputs,
                                                   const char* flag) {
  std::vector<std::optional<std::string>> taken(inputs.size());
  std::vector<std::string> loose;
  for (const std::string& argument : arguments) {
    auto [index, rest] = SplitArgument(argument, inputs);
    if (!index) {
      loose.push_back(rest);
    } else if (taken[*index]) {
      throw RunError(fmt::format("{} is given twice for input '{}'", flag, inputs[*index].name));
    } else {
      taken[*index] = std::move(rest);
    }
  }
  size_t next = 0;
  for (std::string& argument : loose) {
    while (next < taken.size() && taken[next]) ++next;
    if (next == taken.size()) {
      throw RunError(
          fmt::format("{} '{}' has no input to go to: the model's inputs are {}", flag, argument, NameList(inputs)));
    }
    taken[next] = std::move(argument);
  }
  return taken;
}

Dims ParseDims(const std::string& text, const TensorInfo& input) {
  Dims dims;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int64_t dim;
    const auto result = std::from_chars(at, end, dim);
    if (result.ec != std::errc() || dim < 0 || (result.ptr < end && *result.ptr != ',') || result.ptr + 1 == end) {
      throw RunError(
          fmt::format("--shape '{}' for input '{}' is no list of dims such as 1,3,224,224", text, input.name));
    }
    dims.push_back(dim);
    at = result.ptr + (result.ptr < end ? 1 : 0);
  }
  return dims;
}

bool Fits(const Dims& dims, const Dims& declared) {
  if (declared.size() == 1 && declared[0] == -2) return true;  // any rank
  if (dims.size() != declared.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (declared[i] >= 0 && dims[i] != declared[i]) return false;
  }
  return true;
}

std::string Expected(const TensorInfo& input) {
  const bool any_rank = input.dims.size() == 1 && input.dims[0] == -2;
  std::string text = fmt::format("{} {}", TypeName(input.type), any_rank ? "of any shape" : DimsText(input.dims));
  if (input.known()) text += fmt::format(", {} bytes", input.bytes);
  return text;
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

// The array of an archive that belongs to the input: by name, else the only one.
FileTensor Select(std::vector<FileTensor> tensors, const std::string& name, const std::string& path) {
  if (tensors.size() == 1) return std::move(tensors[0]);
  std::string names;
  for (FileTensor& tensor : tensors) {
    if (tensor.name == name) return std::move(tensor);
    names += (names.empty() ? "'" : ", '") + tensor.name + "'";
  }
  throw RunError(fmt::format("'{}' has no array '{}': it holds {}", path, name, names));
}

bool IsArchive(const std::string& path) { return std::filesystem::path(path).extension() == ".npz"; }

}  // namespace

std::pair<std::optional<size_t>, std::string> SplitArgument(const std::string& argument, const Inputs& inputs) {
  for (size_t at = argument.find('='); at != std::string::npos; at = argument.find('=', at + 1)) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (argument.compare(0, at, inputs[i].name) == 0) return {i, argument.substr(at + 1)};
    }
  }
  return {std::nullopt, argument};
}

std::vector<BoundInput> BindInputs(const Inputs& inputs, const Options& options) {
  std::vector<std::optional<std::string>> shapes = Distribute(options.shapes, inputs, "--shape");
  std::vector<std::optional<Dims>> dims(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!shapes[i]) continue;
    dims[i] = ParseDims(*shapes[i], inputs[i]);
    if (!Fits(*dims[i], inputs[i].dims)) {
      throw RunError(fmt::format("--shape {} for input '{}' does not fit its shape {}", DimsText(*dims[i]),
                                 inputs[i].name, DimsText(inputs[i].dims)));
    }
  }

  std::vector<BoundInput> bound(inputs.size());
  std::vector<bool> done(inputs.size(), false);
  const auto take = [&](size_t i, FileTensor tensor, const std::string& path) {
    bound[i] = {CheckFile(inputs[i], dims[i], std::move(tensor), path), path};
    done[i] = true;
  };
  // One archive alone feeds all inputs that it has arrays for.
  if (options.inputs.size() == 1 && IsArchive(options.inputs[0]) && !SplitArgument(options.inputs[0], inputs).first) {
    const std::string& path = options.inputs[0];
    std::vector<FileTensor> tensors = ReadTensorFile(path);
    const bool by_name = std::any_of(tensors.begin(), tensors.end(), [&](const FileTensor& tensor) {
      return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return input.name == tensor.name; });
    });
    if (!by_name && tensors.size() > inputs.size()) {
      throw RunError(fmt::format("'{}' holds {} arrays, the model has {} inputs: {}", path, tensors.size(),
                                 inputs.size(), NameList(inputs)));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (size_t t = 0; t < tensors.size(); ++t) {
        if (by_name ? tensors[t].name == inputs[i].name : t == i) take(i, std::move(tensors[t]), path);
      }
    }
  } else {
    const auto paths = Distribute(options.inputs, inputs, "--input");
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!paths[i]) continue;
      // NAME=FILE with a name that the model does not have was taken for a file with '=' in its name.
      std::error_code ignored;
      if (inputs[i].type == ACL_STRING && LooksLikeJson(*paths[i])) {
        try {
          take(i, ParseJsonStrings(*paths[i]), *paths[i]);
        } catch (const RunError& error) {
          throw RunError(fmt::format("input '{}' cannot be {}: {}", inputs[i].name, *paths[i], error.what()));
        }
        continue;
      }
      const size_t equals = paths[i]->find('=');
      if (equals != std::string::npos && !std::filesystem::exists(*paths[i], ignored)) {
        throw RunError(
            fmt::format("--input '{}': there is neither an input '{}' (the model's inputs are {}) nor such a "
                        "file",
                        *paths[i], paths[i]->substr(0, equals), NameList(inputs)));
      }
      take(i, Select(ReadTensorFile(*paths[i]), inputs[i].name, *paths[i]), *paths[i]);
    }
  }

  for (size_t i = 0; i < inputs.size(); ++i) {
    if (done[i]) continue;
    if (!options.inputs.empty() && !options.seed_given) {
      throw RunError(fmt::format("input '{}' is missing: expected {}. Add --input {}=FILE, or --seed N for random data",
                                 inputs[i].name, Expected(inputs[i]), inputs[i].name));
    }
    Dims shape = dims[i].value_or(inputs[i].dims);
    if (shape.size() == 1 && shape[0] == -2) shape.clear();
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] < 0) shape[d] = d < inputs[i].least.size() ? inputs[i].least[d] : 1;
    }
    bound[i] = {RandomTensor(inputs[i].type, shape, options.seed, i),
                fmt::format("random data, seed {}", options.seed)};
    uint64_t expected = inputs[i].bytes;
    if (inputs[i].known() && bound[i].tensor.bytes.size() != expected) {
      throw RunError(fmt::format("input '{}' takes {} bytes for {}, the device expects {}", inputs[i].name,
                                 bound[i].tensor.bytes.size(), DimsText(shape), expected));
    }
  }
  return bound;
}

}  // namespace atc::omrun
