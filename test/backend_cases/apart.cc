#include "test/backend_cases/apart.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace atc::backend_cases {

ApartResult RunApart(unsigned seconds, const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return {"", "no pipe"};
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return {"", "no process"};
  }
  if (child == 0) {
    ::close(ends[0]);
    // Of the processor's time, since others may use it; what waits for ever is ended as well.
    const itimerval limit = {{0, 0}, {static_cast<time_t>(seconds), 0}};
    ::setitimer(ITIMER_PROF, &limit, nullptr);
    ::alarm(20 * seconds);
    const std::string text = work();
    for (size_t written = 0; written < text.size();) {
      const ssize_t n = ::write(ends[1], text.data() + written, text.size() - written);
      if (n <= 0) break;
      written += static_cast<size_t>(n);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  ApartResult result;
  char buffer[4096];
  ssize_t n;
  while ((n = ::read(ends[0], buffer, sizeof buffer)) > 0) result.text.append(buffer, static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    result.fault = signal == SIGALRM || signal == SIGPROF ? fmt::format("took more than {} s", seconds)
                                     : fmt::format("crashed with signal {} ({})", signal, ::strsignal(signal));
  } else if (WEXITSTATUS(status) != 0) {
    result.fault = fmt::format("ended with status {}", WEXITSTATUS(status));  // an exception that nobody caught
  }
  return result;
}

}  // namespace atc::backend_cases
