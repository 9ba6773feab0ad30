#include "cmd/atc/om2_file.h"

#include <fmt/format.h>
#include <zip.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

constexpr char kMagic[] = {'P', 'K', 3, 4};
constexpr size_t kMostBytes = size_t{1} << 30;  // of the graph, however little it takes in the archive

struct Closer {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

Error Damaged(const std::string& path, const std::string& reason) {
  return Error("E10041", {{"parameter", path}, {"reason", "the OM2 package " + reason}});
}

bool IsGraph(const std::string& name) {
  return name.starts_with("data/model_") && name.find("/debug/ge_visual_") != std::string::npos && name.ends_with(".json");
}

// In pieces, so that a size invented in the directory costs no memory.
std::string ReadMember(const std::string& path, zip_t* archive, zip_uint64_t index) {
  const std::unique_ptr<zip_file_t, Closer> member(zip_fopen_index(archive, index, 0));
  if (!member) throw Damaged(path, std::string("cannot be read: ") + zip_strerror(archive));
  std::string text;
  constexpr size_t kPiece = 1 << 20;
  while (true) {
    const size_t used = text.size();
    text.resize(used + kPiece);
    const zip_int64_t got = zip_fread(member.get(), text.data() + used, kPiece);
    if (got < 0) throw Damaged(path, std::string("is damaged: ") + zip_file_strerror(member.get()));
    text.resize(used + static_cast<size_t>(got));
    if (got == 0) return text;
    if (text.size() > kMostBytes) throw Damaged(path, fmt::format("has a graph of more than {} bytes", kMostBytes));
  }
}

}  // namespace

bool IsOm2(const std::string& path) {
  char head[sizeof(kMagic)] = {};
  std::ifstream file(path, std::ios::binary);
  file.read(head, sizeof(head));
  return file.gcount() == sizeof(head) && std::equal(std::begin(head), std::end(head), kMagic);
}

void WriteOm2Json(const std::string& path, ByteSink& out) {
  int code = 0;
  const std::unique_ptr<zip_t, Closer> archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (!archive) throw Damaged(path, fmt::format("is no sound zip archive (libzip's error {})", code));
  std::string first;
  zip_uint64_t index = 0;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* raw = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
    const std::string name = raw == nullptr ? "" : raw;
    if (!IsGraph(name) || (!first.empty() && first <= name)) continue;
    first = name;
    index = static_cast<zip_uint64_t>(i);
  }
  if (first.empty()) throw Damaged(path, "has no data/model_<i>/debug/ge_visual_*.json, the graph for viewers");
  const std::string text = ReadMember(path, archive.get(), index);
  if (!nlohmann::json::accept(text)) throw Damaged(path, fmt::format("has no JSON in '{}'", first));
  out.Write(text);
}

}  // namespace atc::cli
