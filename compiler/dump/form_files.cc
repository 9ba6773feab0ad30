#include "compiler/dump/form_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "compiler/dump/forms.h"
#include "compiler/io/output_file.h"
#include "compiler/ir/error.h"

namespace atc {
namespace {

constexpr unsigned kMode = 0600;
constexpr size_t kChunk = 1 << 17;

// So many bytes of the file before, from there on, into `to`. It is read, never mapped: whoever looks at dumps may cut one
// short while others are written, and a map of it would end the process. E13003 where that has happened.
void Read(const LastFile& from, uint64_t at, size_t size, char* to) {
  while (size > 0) {
    const ssize_t count = pread(from.file.fd(), to, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw Error("E13003", {{"file", from.path},
                             {"errmsg", count < 0 ? std::generic_category().message(errno)
                                                  : "the dump was changed while the ones after it were written"}});
    }
    at += static_cast<uint64_t>(count);
    to += count;
    size -= static_cast<size_t>(count);
  }
}

// The first `size` bytes of it.
void Copy(const LastFile& from, uint64_t size, ByteSink& to) {
  std::vector<char> chunk(std::min<uint64_t>(size, kChunk));
  for (uint64_t at = 0; at < size; at += chunk.size()) {
    chunk.resize(std::min<uint64_t>(size - at, kChunk));
    Read(from, at, chunk.size(), chunk.data());
    to.Write(chunk.data(), chunk.size());
  }
}

// Gives the open file another name: files of dumps are written once. Where the file system has no such names, another
// file has the name, or this one has lost its own, a copy.
void SameFile(const LastFile& from, const std::string& to) {
  char last;
  if (from.size > 0) Read(from, from.size - 1, 1, &last);  // still whole
  const std::string open_file = fmt::format("/proc/self/fd/{}", from.file.fd());
  if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  OutputFile file(to, kMode);
  Copy(from, from.size, file);
  file.Commit();
}

// A file that is the one before as long as it holds the same: only from the first difference on it is written.
class FileLikeBefore : public ByteSink {
 public:
  // `last`: the file before, or none; Commit makes it this one.
  FileLikeBefore(LastFile* last, std::string path) : last_(last), path_(std::move(path)) {
    if (last_->file.fd() < 0) Begin();
  }

  using ByteSink::Write;
  void Write(const void* data, size_t size) override {
    const char* bytes = static_cast<const char*>(data);
    while (!file_ && size > 0) {
      const size_t piece = std::min<uint64_t>({size, kChunk, last_->size - same_});
      before_.resize(piece);
      Read(*last_, same_, piece, before_.data());
      if (piece == 0 || std::memcmp(before_.data(), bytes, piece) != 0) {
        Begin();
        break;
      }
      same_ += piece;
      bytes += piece;
      size -= piece;
    }
    if (file_) file_->Write(bytes, size);
  }
  void Commit() {
    if (!file_ && same_ == last_->size) return SameFile(*last_, path_);
    if (!file_) Begin();
    *last_ = {file_->CommitOpen(), path_, file_->size()};
  }

 private:
  void Begin() {
    file_.emplace(path_, kMode);
    Copy(*last_, same_, *file_);
  }

  LastFile* last_;
  std::string path_;
  std::vector<char> before_;
  uint64_t same_ = 0;  // bytes
  std::optional<OutputFile> file_;
};

}  // namespace

void FormFiles::Write(const Job& job) {
  if (!job.snapshot) return SameFile(last_, job.path);
  const StageSnapshot& snapshot = *job.snapshot;
  const auto write = [&](ByteSink& file) {
    write_ != nullptr ? write_(snapshot, &texts_, file)
                      : WriteReadableText(GraphList(*job.graph), snapshot.detail, file);
  };
  const bool alike = snapshot_ && snapshot.SaysAsMuchAs(*snapshot_, snapshot.detail <= remarks_up_to_);
  if (alike && write_ != nullptr && snapshot.prototypes.empty()) {
    SameFile(last_, job.path);
  } else if (alike || write_ == nullptr) {  // may be the same
    FileLikeBefore file(&last_, job.path);
    write(file);
    file.Commit();
  } else {
    OutputFile file(job.path, kMode);
    write(file);
    last_ = {file.CommitOpen(), job.path, file.size()};
  }
  snapshot_ = job.snapshot;
}

}  // namespace atc
