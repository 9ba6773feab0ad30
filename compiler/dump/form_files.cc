#include "compiler/dump/form_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <utility>

#include "compiler/dump/forms.h"
#include "compiler/io/mapped_file.h"
#include "compiler/io/output_file.h"

namespace atc {
namespace {

constexpr unsigned kMode = 0600;

// Gives the open file another name: files of dumps are written once. Where the file system has no such names, another file has
// the name, or this one has lost its own, a copy.
void SameFile(const Descriptor& from, const std::string& to) {
  const std::string open_file = fmt::format("/proc/self/fd/{}", from.fd());
  if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  const Buffer all = MapFile(from, to);
  OutputFile file(to, kMode);
  file.Write(all.data, all.size);
  file.Commit();
}

// A file that is the one before as long as it holds the same: only from the first difference on it is written.
class FileLikeBefore : public ByteSink {
 public:
  // `last`: the file before, or none; Commit makes it this one.
  FileLikeBefore(Descriptor* last, std::string path) : last_(last), path_(std::move(path)) {
    last_->fd() < 0 ? Begin() : static_cast<void>(before_ = MapFile(*last_, path_));
  }

  using ByteSink::Write;
  void Write(const void* data, size_t size) override {
    if (!file_) {
      if (size <= before_.size - same_ && std::memcmp(before_.data + same_, data, size) == 0) {
        same_ += size;
        return;
      }
      Begin();
    }
    file_->Write(data, size);
  }
  void Commit() {
    if (!file_ && same_ == before_.size) return SameFile(*last_, path_);
    if (!file_) Begin();
    *last_ = file_->CommitOpen();
  }

 private:
  void Begin() {
    file_.emplace(path_, kMode);
    if (same_ > 0) file_->Write(before_.data, same_);
  }

  Descriptor* last_;
  std::string path_;
  Buffer before_;
  size_t same_ = 0;
  std::optional<OutputFile> file_;
};

}  // namespace

void FormFiles::Write(const Job& job) {
  if (!job.snapshot) return SameFile(last_, job.path);
  const StageSnapshot& snapshot = *job.snapshot;
  const auto write = [&](ByteSink& file) {
    write_ != nullptr ? write_(snapshot, &texts_, file) : WriteReadableText(GraphList(*job.graph), snapshot.detail, file);
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
    last_ = file.CommitOpen();
  }
  snapshot_ = job.snapshot;
}

}  // namespace atc
