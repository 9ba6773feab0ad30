#include "compiler/io/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "compiler/ir/error.h"

namespace atc {
namespace {

constexpr size_t kBufferBytes = 1 << 18;
constexpr size_t kLong = 1 << 16;  // what is as long as this is written from where it is

std::string ErrnoText(int number) { return std::generic_category().message(number); }

[[noreturn]] void Fail(const char* code, const std::string& path, int number) {
  throw Error(code, {{"file", path}, {"errmsg", ErrnoText(number)}});
}

// Names that a signal handler has to unlink, in storage that needs no lock and no memory. A file beyond the last slot
// is still removed by its destructor.
constexpr int kSlots = 32;
constexpr size_t kMostName = 64;
enum SlotState : int { kFree, kFilling, kActive };
struct Slot {
  std::atomic<int> state{kFree};
  int folder;  // held open by whoever has the slot
  char name[kMostName];
};
Slot slots[kSlots];
// The process ends: nothing is begun any more.
std::atomic<bool> ending{false};

int TakeSlot() {
  for (int i = 0; i < kSlots; ++i) {
    int expected = kFree;
    if (slots[i].state.compare_exchange_strong(expected, kFilling)) return i;
  }
  return -1;
}

void Register(int slot, int folder, const std::string& name) {
  if (slot < 0) return;
  slots[slot].folder = folder;
  std::memcpy(slots[slot].name, name.c_str(), name.size() + 1);
  slots[slot].state.store(kActive);
}

void Unregister(int* slot) {
  if (*slot >= 0) slots[*slot].state.store(kFree);
  *slot = -1;
}

// No handler runs on this thread meanwhile.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

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
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
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
      return;
    }
  } else if (errno != ENOENT || path_.empty() || path_.back() == '/') {
    Fail("E13001", path_, errno);
  }
  folder_ = Descriptor(open(Folder(target_).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder_.fd() < 0) Fail("E13001", path_, errno);
  temporary_.reserve(kMostName);
  if (const int number = Create(mode); number != 0) Fail("E13001", path_, number);
}

// Makes the temporary file; errno, or 0. Nothing in here throws, and a handler, which runs on another thread then, waits
// until it is done.
int OutputFile::Create(unsigned mode) {
  const SignalsHeld held;
  slot_ = TakeSlot();
  // After the slot, so that either this sees that the process ends or the handler sees the slot.
  if (ending) {
    Unregister(&slot_);
    while (true) pause();
  }
  // A short name, so that a long target name stays within the limit. The number skips what a killed process with the
  // same id has left behind.
  static std::atomic<unsigned> counter{0};
  char name[kMostName];
  do {
    std::snprintf(name, sizeof(name), ".openatc.%d.%u.tmp", static_cast<int>(getpid()), counter++);
    fd_ = openat(folder_.fd(), name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    const int number = errno;
    Unregister(&slot_);
    return number;
  }
  temporary_ = name;
  Register(slot_, folder_.fd(), temporary_);
  return 0;
}

OutputFile::~OutputFile() { Discard(); }

void OutputFile::Discard() noexcept {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
  if (!temporary_.empty()) unlinkat(folder_.fd(), temporary_.c_str(), 0);
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
      // What is written may lie in a mapped file.
      if (number == EFAULT) {
        throw Error("E13004",
                    {{"file", path_}, {"errmsg", "a file that it is made of was cut short while it was in use"}});
      }
      Fail("E13004", path_, number);
    }
    data += written;
    size -= static_cast<size_t>(written);
  }
}

void OutputFile::Write(const void* data, size_t size) {
  if (fd_ < 0) throw Error::Internal("the file " + path_ + " is written after it was closed");
  size_ += size;
  const bool long_piece = size >= kLong;
  if (long_piece || buffer_.size() + size > kBufferBytes) {
    WriteThrough(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  const char* bytes = static_cast<const char*>(data);
  if (long_piece) {
    WriteThrough(bytes, size);
  } else {
    if (buffer_.capacity() == 0) buffer_.reserve(kBufferBytes);  // files of long pieces only need none
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
  const char* name = target_.c_str() + target_.rfind('/') + 1;  // npos + 1 is 0
  if (!closed || renameat(folder_.fd(), temporary_.c_str(), folder_.fd(), name) != 0) {
    const int number = errno;
    Discard();
    Fail("E13004", path_, number);
  }
  temporary_.clear();
  Unregister(&slot_);
  folder_ = Descriptor();
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
  ending = true;
  constexpr int kMostMilliseconds = 1000;  // for a folder that does not answer
  int waited = 0;
  for (Slot& slot : slots) {
    while (slot.state == kFilling && waited++ < kMostMilliseconds) poll(nullptr, 0, 1);
    if (slot.state == kActive) unlinkat(slot.folder, slot.name, 0);
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
