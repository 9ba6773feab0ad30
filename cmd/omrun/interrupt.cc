#include "cmd/omrun/interrupt.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <thread>

#include "cmd/omrun/output_files.h"

namespace atc::omrun {

void CleanUpOnInterrupt(OutputFiles* files) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current;
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, files] {
    int signal = 0;
    while (sigwait(&signals, &signal) != 0) {
    }
    files->Discard();
    fmt::print(stderr, "omrun: interrupted ({}); unfinished files are removed\n", strsignal(signal));
    // Other threads still run: no destructor may touch what they use.
    _exit(1);
  }).detach();
}

}  // namespace atc::omrun
