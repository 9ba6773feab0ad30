#include "cmd/omrun/interrupt.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <thread>

#include "cmd/omrun/output_files.h"

namespace atc::omrun {
namespace {

// Of this program alone: to the thread that waits for signals.
int CutShort() { return SIGRTMIN; }

// A mapped file, the om or its weights, has lost pages. Whoever read it does not go on; the waiting thread ends the
// process.
void Unreadable(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    ::signal(signal, SIG_DFL);
    raise(signal);
    return;
  }
  kill(getpid(), CutShort());
  while (true) pause();
}

}  // namespace

void CleanUpOnInterrupt(OutputFiles* files) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current;
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  sigaddset(&signals, CutShort());
  struct sigaction unreadable = {};
  unreadable.sa_sigaction = Unreadable;
  unreadable.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &unreadable, nullptr);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, files] {
    int signal = 0;
    while (sigwait(&signals, &signal) != 0) {
    }
    files->Discard();
    if (signal == CutShort()) {
      fmt::print(stderr,
                 "omrun: the om or its weight file was cut short while it was in use, or its disk failed; "
                 "unfinished files are removed\n");
    } else {
      fmt::print(stderr, "omrun: interrupted ({}); unfinished files are removed\n", strsignal(signal));
    }
    // Other threads still run: no destructor may touch what they use.
    _exit(1);
  }).detach();
}

}  // namespace atc::omrun
