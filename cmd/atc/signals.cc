#include "cmd/atc/signals.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <initializer_list>

#include "compiler/io/output_file.h"

namespace atc::cli {
namespace {

// Only what is safe within a signal handler.
void Say(int file, const char* text) {
  if (write(file, text, std::strlen(text)) < 0) return;  // nobody listens any more
}

void Interrupted(int) {
  UnlinkUnfinishedFiles();
  Say(STDERR_FILENO, "\nInterrupted: no file that was unfinished is kept.\n");
  Say(STDOUT_FILENO, "...\nATC run failed, Please check the detail log, Try 'atc --help' for more information\n\n");
  _exit(255);
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
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace atc::cli
