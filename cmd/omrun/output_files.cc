#include "cmd/omrun/output_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {
namespace {

namespace fs = std::filesystem;

// Returns 0 or the errno of the write that failed.
int WriteAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

[[noreturn]] void FailToWrite(const std::string& path, int error, size_t needed) {
  throw RunError(fmt::format("cannot write '{}' ({} bytes): {}", path, needed, std::strerror(error)));
}

}  // namespace

OutputFiles::~OutputFiles() {
  Discard();
  for (const File& file : files_) {
    if (file.descriptor >= 0) close(file.descriptor);
  }
}

void OutputFiles::MakeFolder(const std::string& path) {
  std::lock_guard lock(mutex_);
  if (closed_) throw RunError("interrupted");
  std::error_code error;
  fs::path so_far;
  for (const fs::path& part : fs::path(path)) {
    so_far /= part;
    if (fs::exists(so_far, error)) continue;
    if (mkdir(so_far.c_str(), 0777) == 0) {
      folders_.push_back(so_far.string());
    } else if (errno != EEXIST) {
      throw RunError(fmt::format("cannot make the folder '{}': {}", so_far.string(), std::strerror(errno)));
    }
  }
  if (!fs::is_directory(path, error)) throw RunError(fmt::format("'{}' is not a folder", path));
}

size_t OutputFiles::Reserve(const std::string& path) {
  std::lock_guard lock(mutex_);
  if (closed_) throw RunError("interrupted");
  File file{path, "", -1, {}};
  struct stat found;
  const bool exists = stat(path.c_str(), &found) == 0;
  if (exists && S_ISDIR(found.st_mode)) throw RunError(fmt::format("cannot write '{}': it is a folder", path));
  if (!exists || S_ISREG(found.st_mode)) {
    const fs::path target(path);
    file.temporary = (target.parent_path() / fmt::format(".{}.{}.tmp", target.filename().string(), getpid())).string();
    unlink(file.temporary.c_str());  // of a killed process that had this number
    file.descriptor = open(file.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file.descriptor < 0) throw RunError(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  }
  files_.push_back(std::move(file));
  return files_.size() - 1;
}

void OutputFiles::Fill(size_t index, std::span<const std::byte> bytes) {
  File& file = files_[index];
  if (file.temporary.empty()) {
    file.direct.assign(bytes.begin(), bytes.end());
    return;
  }
  int error = WriteAll(file.descriptor, bytes);
  if (close(file.descriptor) != 0 && error == 0) error = errno;
  file.descriptor = -1;
  if (error) FailToWrite(file.path, error, bytes.size());
}

void OutputFiles::Fill(size_t file, const std::string& text) {
  Fill(file, std::as_bytes(std::span(text.data(), text.size())));
}

void OutputFiles::Commit() {
  std::lock_guard lock(mutex_);
  if (closed_) throw RunError("interrupted");
  for (size_t i = 0; i < files_.size(); ++i) {
    const File& file = files_[i];
    int error = 0;
    if (file.temporary.empty()) {
      const int descriptor = open(file.path.c_str(), O_WRONLY | O_CLOEXEC);
      error = descriptor < 0 ? errno : WriteAll(descriptor, file.direct);
      if (descriptor >= 0 && close(descriptor) != 0 && error == 0) error = errno;
    } else if (rename(file.temporary.c_str(), file.path.c_str()) != 0) {
      error = errno;
    }
    if (error == 0) continue;
    const std::string path = file.path;
    for (size_t done = 0; done < i; ++done) {
      if (!files_[done].temporary.empty()) unlink(files_[done].path.c_str());
    }
    DiscardLocked();
    FailToWrite(path, error, file.direct.size());
  }
  files_.clear();
  folders_.clear();
}

void OutputFiles::Discard() noexcept {
  std::lock_guard lock(mutex_);
  DiscardLocked();
}

void OutputFiles::DiscardLocked() noexcept {
  closed_ = true;
  for (const File& file : files_) {
    if (!file.temporary.empty()) unlink(file.temporary.c_str());
  }
  // Fails, rightly, where something else has been put in meanwhile.
  for (size_t i = folders_.size(); i-- > 0;) rmdir(folders_[i].c_str());
}

}  // namespace atc::omrun
