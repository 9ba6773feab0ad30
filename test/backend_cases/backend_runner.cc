// Runs cases of the ONNX backend suites and reports each by name.
//
//   backend_runner [--via ROUTE] [--only TEXT] [--minimum N] [--expect FILE] [--quiet] FOLDER...
//
// A folder is searched for cases. Each case runs in a process of its own, so that one that crashes or hangs is one
// failure. --only takes the cases whose name holds the text. The exit status is 1 when fewer than N cases pass or when
// a case that FILE names (one a line) is among those found and does not pass; both show what used to work and was
// broken.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "test/backend_cases/case.h"

namespace atc::backend_cases {
namespace {

constexpr unsigned kSecondsPerCase = 120;

// The case in a child process; what becomes of it comes back through a pipe.
Outcome RunApart(const Case& which, const std::string& route_name) {
  int ends[2];
  if (::pipe(ends) != 0) return {Outcome::kFail, "no pipe"};
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0) return {Outcome::kFail, "no process"};
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(kSecondsPerCase);
    const Outcome outcome = RunCase(which, *MakeRoute(route_name));
    const std::string text = static_cast<char>(outcome.kind) + outcome.reason;
    size_t written = 0;
    while (written < text.size()) {
      const ssize_t n = ::write(ends[1], text.data() + written, text.size() - written);
      if (n <= 0) break;
      written += static_cast<size_t>(n);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  ssize_t n;
  while ((n = ::read(ends[0], buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {Outcome::kFail, signal == SIGALRM
                                ? fmt::format("took more than {} s", kSecondsPerCase)
                                : fmt::format("crashed with signal {} ({})", signal, ::strsignal(signal))};
  }
  if (text.empty()) return {Outcome::kFail, "ended without a result"};
  return {static_cast<Outcome::Kind>(text[0]), text.substr(1)};
}

std::set<std::string> ReadNames(const std::string& path) {
  std::set<std::string> names;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') names.insert(line);
  }
  return names;
}

struct Counts {
  int pass = 0, fail = 0, unsupported = 0;
};

int Main(int argc, char** argv) {
  CLI::App app("Runs cases of the ONNX backend suites.");
  std::string route = "graph", only, expect_file;
  int minimum = 0;
  bool quiet = false;
  std::vector<std::string> folders;
  app.add_option("--via", route, "graph: parser and reference evaluator; om: compiler, om and device");
  app.add_option("--only", only, "only cases whose name holds this text");
  app.add_option("--minimum", minimum, "how many cases must pass");
  app.add_option("--expect", expect_file, "file that names cases which must pass");
  app.add_flag("--quiet", quiet, "leave out the lines of cases that pass");
  app.add_option("folders", folders, "where the cases are")->required();
  CLI11_PARSE(app, argc, argv);
  if (MakeRoute(route) == nullptr) {
    fmt::print(stderr, "--via: there is no route '{}'\n", route);
    return 2;
  }

  std::map<std::string, Counts> suites;
  std::vector<std::string> broken;
  const std::set<std::string> expected = ReadNames(expect_file);
  Counts all;
  for (const std::string& folder : folders) {
    for (const Case& which : FindCases(folder)) {
      if (which.name.find(only) == std::string::npos) continue;
      const Outcome outcome = RunApart(which, route);
      Counts& suite = suites[which.name.substr(0, which.name.find('/'))];
      for (Counts* counts : {&suite, &all}) {
        (outcome.kind == Outcome::kPass   ? counts->pass
         : outcome.kind == Outcome::kFail ? counts->fail
                                          : counts->unsupported)++;
      }
      if (outcome.kind != Outcome::kPass && expected.contains(which.name)) broken.push_back(which.name);
      if (outcome.kind == Outcome::kPass) {
        if (!quiet) fmt::print("PASS        {}\n", which.name);
      } else {
        fmt::print("{} {}: {}\n", outcome.kind == Outcome::kFail ? "FAIL       " : "UNSUPPORTED", which.name,
                   outcome.reason);
      }
    }
  }
  fmt::print("\n{:<20} {:>6} {:>6} {:>12}\n", "suite", "pass", "fail", "unsupported");
  for (const auto& [name, counts] : suites) {
    fmt::print("{:<20} {:>6} {:>6} {:>12}\n", name, counts.pass, counts.fail, counts.unsupported);
  }
  fmt::print("{:<20} {:>6} {:>6} {:>12}\n", "all", all.pass, all.fail, all.unsupported);
  for (const std::string& name : broken) fmt::print("BROKEN: {} passed before\n", name);
  if (all.pass < minimum) fmt::print("TOO FEW: {} cases pass, at least {} should\n", all.pass, minimum);
  return broken.empty() && all.pass >= minimum ? 0 : 1;
}

}  // namespace
}  // namespace atc::backend_cases

int main(int argc, char** argv) { return atc::backend_cases::Main(argc, argv); }
