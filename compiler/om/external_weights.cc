#include "compiler/om/external_weights.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "compiler/io/compile_threads.h"
#include "compiler/io/mapped_file.h"
#include "compiler/io/output_file.h"
#include "compiler/io/sha256.h"
#include "compiler/om/proto_attr.h"

namespace atc {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "weight/";
// That write files where MAX_COMPILE_CORE_NUMBER does not say otherwise: each has one weight in memory.
constexpr size_t kThreads = 8;

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

void WriteZeros(int64_t count, ByteSink& out) { out.Write(std::string(static_cast<size_t>(count), '\0')); }

}  // namespace

ExternalWeights::ExternalWeights(const WeightLayout& layout, ExternalWeight kind, const std::string& om_path,
                                 const std::string& name) {
  if (layout.contents().empty()) return;
  const std::string folder = FolderOf(om_path);
  MakeParentFolders(folder + kFolder + "file");
  try {
    kind == ExternalWeight::kOneFile ? WriteCombined(layout, folder, name) : WriteEach(layout, folder);
  } catch (...) {
    for (const std::string& path : made_) fs::remove(path);
    throw;
  }
}

ExternalWeights::~ExternalWeights() {
  std::error_code ignored;
  for (const std::string& path : made_) fs::remove(path, ignored);
}

void ExternalWeights::WriteEach(const WeightLayout& layout, const std::string& folder) {
  const std::vector<WeightLayout::Content>& contents = layout.contents();
  std::vector<std::string> locations(contents.size());
  std::vector<char> made(contents.size(), 0);  // of the contents, each of which is in one thread's hands
  const auto write = [&](size_t i) {
    const Tensor tensor = StoredConstant(contents[i].graph->node(contents[i].node));
    const std::span<const std::byte> bytes(tensor.Data(), tensor.NumBytes());
    locations[i] = kFolder + ("weight_" + Sha256Hex(bytes));
    // What stands there already may be another model's; it is written anew, in case it was damaged.
    const bool there = fs::exists(folder + locations[i]);
    OutputFile file(folder + locations[i]);
    file.Write(bytes.data(), bytes.size());
    file.Commit();
    made[i] = !there;
  };
  const std::exception_ptr fault = ForEachOnThreads(contents.size(), CompileThreads(kThreads), write);
  for (size_t i = 0; i < contents.size(); ++i) {
    places_[contents[i].offset] = {locations[i], 0};
    if (made[i] != 0) made_.push_back(folder + locations[i]);
  }
  if (fault) std::rethrow_exception(fault);
}

void ExternalWeights::WriteCombined(const WeightLayout& layout, const std::string& folder, const std::string& name) {
  const std::string location = kFolder + name + "_weight_combined";
  OutputFile file(folder + location);
  int64_t at = 0;
  for (const WeightLayout::Content& content : layout.contents()) {
    // The layout leaves the first bytes of an om's weights unused; a file has no use for that.
    const int64_t offset = content.offset - kWeightAlign;
    WriteZeros(offset - at, file);
    const Tensor tensor = StoredConstant(content.graph->node(content.node));
    file.Write(tensor.Data(), tensor.NumBytes());
    at = offset + static_cast<int64_t>(tensor.NumBytes());
    places_[content.offset] = {location, offset};
  }
  const bool there = fs::exists(folder + location);
  file.Commit();
  if (!there) made_.push_back(folder + location);
}

Buffer ExternalFiles::Window(const std::string& location, int64_t offset, int64_t length) {
  if (om_path_.empty()) {
    throw BadMessage{fmt::format("weights in the file '{}', but the om comes from memory; load it by its path", location)};
  }
  const fs::path path(location);
  bool inside = !location.empty() && path.is_relative() && location.find('\0') == std::string::npos;
  for (const fs::path& part : path) inside &= part != "..";
  if (!inside) throw BadMessage{fmt::format("weights in '{}'; expected a file below the folder of the om", location)};
  const auto [it, added] = files_.try_emplace(location);
  if (added) it->second = MapFile(FolderOf(om_path_) + location);
  const Buffer& file = it->second;
  if (offset < 0 || length < 0 || static_cast<uint64_t>(offset) > file.size ||
      static_cast<uint64_t>(length) > file.size - static_cast<uint64_t>(offset)) {
    throw BadMessage{fmt::format("{} bytes at {} of the weight file '{}', which has {}", length, offset, location, file.size)};
  }
  return {file.owner, file.data + offset, static_cast<size_t>(length)};
}

}  // namespace atc
