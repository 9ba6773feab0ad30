#include "compiler/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "compiler/ir/error.h"

namespace atc {
namespace {

constexpr size_t kBufferBytes = 1 << 18;

std::string ErrnoText(int number) { return std::generic_category().message(number); }

[[noreturn]] void Fail(const char* code, const std::string& path, int number) {
  throw Error(code, {{"file", path}, {"errmsg", ErrnoText(number)}});
}

// Paths that a signal handler has to unlink, in storage that needs no lock and no memory. A file beyond the last slot
// is still removed by its destructor.
constexpr int kSlots = 32;
enum SlotState : int { kFree, kFilling, kActive };
struct Slot {
  std::atomic<int> state{kFree};
  char path[PATH_MAX];
};
Slot slots[kSlots];

int Register(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (int i = 0; i < kSlots; ++i) {
    int expected = kFree;
    if (!slots[i].state.compare_exchange_strong(expected, kFilling)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].state.store(kActive, std::memory_order_release);
    return i;
  }
  return -1;
}

void Unregister(int* slot) {
  if (*slot >= 0) slots[*slot].state.store(kFree, std::memory_order_release);
  *slot = -1;
}

// The file that `path` names once links are followed; `path` itself where there is none yet.
std::string FollowLinks(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string target = resolved;
  std::free(resolved);
  return target;
}

std::string Folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace

OutputFile::OutputFile(std::string path, unsigned mode) : path_(std::move(path)), target_(FollowLinks(path_)) {
  struct stat info;
  if (stat(target_.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) Fail("E13001", path_, EISDIR);
    // Told now, not after the work: the name is taken by a file that may not be replaced.
    if (access(target_.c_str(), W_OK) != 0) Fail("E13001", path_, errno);
    if (!S_ISREG(info.st_mode)) {
      fd_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd_ < 0) Fail("E13001", path_, errno);
      buffer_.reserve(kBufferBytes);
      return;
    }
  } else if (errno != ENOENT || path_.empty() || path_.back() == '/') {
    Fail("E13001", path_, errno);
  }
  // A short name, so that a long target name stays within the limit. The number skips what a killed process with the
  // same id has left behind.
  static std::atomic<unsigned> counter{0};
  do {
    Unregister(&slot_);
    temporary_ = Folder(target_) + ".openatc." + std::to_string(getpid()) + "." + std::to_string(counter++) + ".tmp";
    slot_ = Register(temporary_);
    fd_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    const int number = errno;
    Unregister(&slot_);
    Fail("E13001", path_, number);
  }
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() { Discard(); }

void OutputFile::Discard() noexcept {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
  Unregister(&slot_);
}

void OutputFile::WriteThrough(const char* data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd_, data, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      const int number = errno;
      Discard();
      Fail("E13004", path_, number);
    }
    data += written;
    size -= static_cast<size_t>(written);
  }
}

void OutputFile::Write(const void* data, size_t size) {
  if (fd_ < 0) throw Error::Internal("the file " + path_ + " is written after it was closed");
  size_ += size;
  if (buffer_.size() + size > kBufferBytes) {
    WriteThrough(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  const char* bytes = static_cast<const char*>(data);
  if (size > kBufferBytes) {
    WriteThrough(bytes, size);
  } else {
    buffer_.insert(buffer_.end(), bytes, bytes + size);
  }
}

void OutputFile::Commit() {
  if (fd_ < 0) throw Error::Internal("the file " + path_ + " is closed twice");
  WriteThrough(buffer_.data(), buffer_.size());
  buffer_.clear();
  const bool closed = close(fd_) == 0;
  fd_ = -1;
  // Without a temporary the target is a device or a pipe; some of these cannot say anything useful at close.
  if (temporary_.empty()) return;
  if (!closed || rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int number = errno;
    Discard();
    Fail("E13004", path_, number);
  }
  temporary_.clear();
  Unregister(&slot_);
}

Descriptor OutputFile::CommitOpen() {
  if (fd_ < 0) throw Error::Internal("the file " + path_ + " is closed twice");
  Descriptor open_still(fcntl(fd_, F_DUPFD_CLOEXEC, 0));
  if (open_still.fd() < 0) {
    const int number = errno;
    Discard();
    Fail("E13004", path_, number);
  }
  Commit();
  return open_still;
}

void UnlinkUnfinishedFiles() noexcept {
  const int saved = errno;
  for (Slot& slot : slots) {
    if (slot.state.load(std::memory_order_acquire) == kActive) unlink(slot.path);
  }
  errno = saved;
}

void MakeParentFolders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (mkdir(folder.c_str(), 0777) == 0) continue;
    const int number = errno;
    struct stat info;
    if (stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) continue;
    Fail("E13001", folder, number);
  }
}

}  // namespace atc
