#include "cmd/omrun/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>

#include "cmd/omrun/npy.h"

namespace atc::omrun {
namespace {

struct Closer {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};

// Reads in pieces, so that a size invented in the directory costs no memory.
std::vector<std::byte> ReadMember(zip_t* archive, zip_uint64_t index) {
  std::unique_ptr<zip_file_t, Closer> member(zip_fopen_index(archive, index, 0));
  if (!member) throw RunError(zip_strerror(archive));
  std::vector<std::byte> bytes;
  constexpr size_t kPiece = 1 << 20;
  for (size_t used = 0;; bytes.resize(used)) {
    bytes.resize(used + kPiece);
    const zip_int64_t got = zip_fread(member.get(), bytes.data() + used, kPiece);
    if (got < 0) throw RunError(zip_file_strerror(member.get()));
    used += static_cast<size_t>(got);
    if (got == 0) {
      bytes.resize(used);
      return bytes;
    }
  }
}

}  // namespace

std::vector<FileTensor> ReadNpz(const std::string& path) {
  int code = 0;
  std::unique_ptr<zip_t, Closer> archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw RunError(fmt::format("it is no sound zip archive ({})", text));
  }
  std::vector<FileTensor> tensors;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* raw = zip_get_name(archive.get(), i, ZIP_FL_ENC_GUESS);
    std::string name = raw ? raw : "";
    try {
      FileTensor tensor = ParseNpy(ReadMember(archive.get(), i));
      if (name.ends_with(".npy")) name.resize(name.size() - 4);
      tensor.name = name;
      tensors.push_back(std::move(tensor));
    } catch (const RunError& error) {
      throw RunError(fmt::format("member '{}': {}", name, error.what()));
    }
  }
  if (tensors.empty()) throw RunError("the archive holds no array");
  return tensors;
}

}  // namespace atc::omrun
