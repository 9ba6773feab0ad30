#include "cmd/atc/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "compiler/io/output_file.h"

namespace atc::cli {
namespace {

// Only what is safe within a signal handler.
void Say(int file, const char* text) {
  if (write(file, text, std::strlen(text)) < 0) return;  // nobody listens any more
}

[[noreturn]] void Fail() {
  Say(STDOUT_FILENO, "...\nATC run failed, Please check the detail log, Try 'atc --help' for more information\n\n");
  _exit(255);
}

void Interrupted(int) {
  UnlinkUnfinishedFiles();
  Say(STDERR_FILENO, "\nInterrupted: no file that was unfinished is kept.\n");
  Fail();
}

// Reads lines of /proc/self/maps: "begin-end mode offset device inode path", numbers in hexadecimal.
class MapLines {
 public:
  // False at the end. A line that is longer than the room for it is cut.
  bool Next() {
    size_t size = 0;
    char c;
    while (read(file_, &c, 1) == 1 && c != '\n') {
      if (size + 1 < sizeof(line_)) line_[size++] = c;
    }
    line_[size] = 0;
    return size > 0;
  }
  bool Holds(uintptr_t address) const {
    const char* at = line_;
    const uintptr_t begin = Number(&at);
    ++at;  // the dash
    return begin <= address && address < Number(&at);
  }
  const char* path() const {
    const char* slash = std::strchr(line_, '/');
    return slash == nullptr ? "" : slash;
  }

 private:
  static uintptr_t Number(const char** at) {
    uintptr_t number = 0;
    for (; (**at >= '0' && **at <= '9') || (**at >= 'a' && **at <= 'f'); ++*at) {
      number = number * 16 + static_cast<uintptr_t>(**at <= '9' ? **at - '0' : **at - 'a' + 10);
    }
    return number;
  }

  int file_ = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char line_[4352];  // a path of the greatest length, and what stands before it
};

// A mapped file has lost pages: somebody cut it short, or its disk failed. Nothing can go on from there.
void Unreadable(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    std::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  UnlinkUnfinishedFiles();
  MapLines lines;
  const char* path = "";
  while (lines.Next()) {
    if (!lines.Holds(reinterpret_cast<uintptr_t>(info->si_addr))) continue;
    path = lines.path();
    break;
  }
  Say(STDOUT_FILENO, "File_Operation_Error_Read(E13003): The file ");
  Say(STDOUT_FILENO, path);
  Say(STDOUT_FILENO,
      " cannot be read: it was cut short while it was in use, or its disk failed.\n"
      "        Solution: Leave the files of a model as they are until the conversion ends, and convert again.\n");
  Fail();
}

}  // namespace

void InstallSignalHandlers() {
  struct sigaction action = {};
  action.sa_handler = Interrupted;
  sigfillset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // What nohup or a shell's background job has switched off stays off.
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  struct sigaction unreadable = {};
  unreadable.sa_sigaction = Unreadable;
  unreadable.sa_flags = SA_SIGINFO;
  sigfillset(&unreadable.sa_mask);
  sigaction(SIGBUS, &unreadable, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace atc::cli
