#include "cmd/omrun/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cmd/omrun/npy.h"
#include "cmd/omrun/npz.h"
#include "cmd/omrun/string_tensor.h"
#include "cmd/omrun/tensor_json.h"
#include "cmd/omrun/tensor_proto.h"
#include "cmd/omrun/tensor_text.h"

namespace atc::omrun {
namespace {

std::vector<FileTensor> ReadNpy(const std::string& path) { return {ParseNpy(ReadBytes(path))}; }
std::vector<FileTensor> ReadProto(const std::string& path) { return {ParseTensorProto(ReadBytes(path))}; }
std::vector<FileTensor> ReadJson(const std::string& path) {
  const std::vector<std::byte> bytes = ReadBytes(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t first = text.find_first_not_of(" \t\r\n");
  return {first != std::string_view::npos && text[first] == '{' ? ParseTensorJson(text) : ParseJsonStrings(text)};
}
std::vector<FileTensor> ReadRaw(const std::string& path) {
  FileTensor tensor;
  tensor.has_dims = false;
  tensor.bytes = ReadBytes(path);
  return {std::move(tensor)};
}

struct Reader {
  const char* extension;
  std::vector<FileTensor> (*read)(const std::string& path);
};
constexpr Reader kReaders[] = {
    {".bin", ReadRaw},
    {".json", ReadJson},
    {".npy", ReadNpy},
    {".npz", ReadNpz},
    {".pb", ReadProto},
};

std::string LowerExtension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension;
}

}  // namespace

const char* Extension(OutputFormat format) {
  constexpr const char* kExtensions[] = {".npy", ".bin", ".txt", ".json"};
  return kExtensions[static_cast<int>(format)];
}

bool IsTensorFileName(const std::string& name) {
  const std::string extension = LowerExtension(name);
  return extension == ".txt" || std::any_of(std::begin(kReaders), std::end(kReaders),
                                            [&](const Reader& reader) { return extension == reader.extension; });
}

std::string TensorFileExtensions() {
  std::string text;
  for (const Reader& reader : kReaders) text += std::string(reader.extension) + ", ";
  return text + ".txt";
}

std::vector<std::byte> ReadBytes(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) throw RunError(fmt::format("'{}' is a folder, not a file", path));
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw RunError(fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
  std::vector<std::byte> bytes;
  if (std::filesystem::is_regular_file(status)) bytes.reserve(std::filesystem::file_size(path, ignored));
  constexpr size_t kPiece = 1 << 20;
  for (;;) {
    const size_t used = bytes.size();
    const size_t room = std::max(std::min(kPiece, bytes.capacity() - used), size_t{4096});
    bytes.resize(used + room);
    const size_t got = std::fread(bytes.data() + used, 1, room, file.get());
    bytes.resize(used + got);
    if (std::ferror(file.get())) throw RunError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
    if (got < room) return bytes;
  }
}

std::vector<FileTensor> ReadTensorFile(const std::string& path) {
  const std::string extension = LowerExtension(path);
  for (const Reader& reader : kReaders) {
    if (extension != reader.extension) continue;
    // Missing and unreadable files are worded alike, whichever library would open them.
    std::unique_ptr<FILE, int (*)(FILE*)> probe(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!probe) throw RunError(fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
    probe.reset();
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw RunError(fmt::format("'{}' is a folder, not a file", path));
    try {
      return reader.read(path);
    } catch (const RunError& error) {
      throw RunError(fmt::format("'{}' cannot be used: {}", path, error.what()));
    }
  }
  throw RunError(fmt::format("'{}' has no known extension: .npy, .npz, .bin, .json and .pb can be read", path));
}

std::vector<std::byte> FormatTensor(const Tensor& tensor, OutputFormat format) {
  switch (format) {
    case OutputFormat::kNpy: return FormatNpy(tensor);
    case OutputFormat::kTxt: return FormatText(tensor);
    case OutputFormat::kBin: return tensor.bytes;
    case OutputFormat::kJson: return FormatTensorJson(tensor);
  }
  return {};
}

}  // namespace atc::omrun
