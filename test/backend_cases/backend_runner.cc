// Runs cases of the ONNX backend suites and reports each by name.
//
//   backend_runner [--via ROUTE] [--only TEXT] [--minimum N] [--expect FILE] [--exempt FILE] [--quiet] FOLDER...
//
// A folder is searched for cases. Each case runs in a process of its own, so that one that crashes or hangs is one
// failure. --only takes the cases whose name holds the text. --exempt names cases whose values are random, which are
// judged by their statistics and pass so, and cases that are left out; both are counted apart. The exit status is 1
// when fewer than N cases pass or when a case that FILE names (one a line) is among those found and does not pass; both
// show what used to work and was broken.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "test/backend_cases/apart.h"
#include "test/backend_cases/case.h"

namespace atc::backend_cases {
namespace {

constexpr unsigned kSecondsPerCase = 120;

// The case in a process of its own.
Outcome RunCaseApart(const Case& which, const std::string& route_name, Exemption exemption) {
  const ApartResult result = RunApart(kSecondsPerCase, [&] {
    const Outcome outcome = RunCase(which, *MakeRoute(route_name), exemption);
    return static_cast<char>(outcome.kind) + outcome.reason;
  });
  if (!result.fault.empty()) return {Outcome::kFail, result.fault};
  if (result.text.empty()) return {Outcome::kFail, "ended without a result"};
  return {static_cast<Outcome::Kind>(result.text[0]), result.text.substr(1)};
}

std::set<std::string> ReadNames(const std::string& path) {
  std::set<std::string> names;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') names.insert(line);
  }
  return names;
}

// How the outcomes are named, and the order of the table's columns.
constexpr std::pair<Outcome::Kind, const char*> kOutcomes[] = {
    {Outcome::kPass, "pass"}, {Outcome::kRandom, "random"},           {Outcome::kExempt, "exempt"},
    {Outcome::kFail, "fail"}, {Outcome::kUnsupported, "unsupported"},
};

using Counts = std::map<Outcome::Kind, int>;

void PrintRow(const std::string& name, Counts counts) {
  fmt::print("{:<20}", name);
  for (const auto& [kind, word] : kOutcomes) fmt::print(" {:>11}", counts[kind]);
  fmt::print("\n");
}

bool Passes(Outcome::Kind kind) { return kind == Outcome::kPass || kind == Outcome::kRandom; }

int Main(int argc, char** argv) {
  CLI::App app("Runs cases of the ONNX backend suites.");
  std::string route = "graph", only, expect_file, exempt_file;
  int minimum = 0;
  bool quiet = false;
  std::vector<std::string> folders;
  app.add_option("--via", route, "graph: parser and reference evaluator; om: compiler, om and device");
  app.add_option("--only", only, "only cases whose name holds this text");
  app.add_option("--minimum", minimum, "how many cases must pass");
  app.add_option("--expect", expect_file, "file that names cases which must pass");
  app.add_option("--exempt", exempt_file, "file of cases that are random or left out");
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
  std::map<std::string, Exemption> exemptions;
  if (!exempt_file.empty()) exemptions = ReadExemptions(exempt_file);
  Counts all;
  for (const std::string& folder : folders) {
    for (const Case& which : FindCases(folder)) {
      if (which.name.find(only) == std::string::npos) continue;
      const auto exemption = exemptions.find(which.name);
      const Outcome outcome =
          RunCaseApart(which, route, exemption == exemptions.end() ? Exemption::kNone : exemption->second);
      ++suites[which.name.substr(0, which.name.find('/'))][outcome.kind];
      ++all[outcome.kind];
      if (!Passes(outcome.kind) && expected.contains(which.name)) broken.push_back(which.name);
      if (quiet && (Passes(outcome.kind) || outcome.kind == Outcome::kExempt)) continue;
      std::string word;
      for (const auto& [kind, name] : kOutcomes) {
        if (kind == outcome.kind) word = name;
      }
      std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
      fmt::print("{:<11} {}{}{}\n", word, which.name, outcome.reason.empty() ? "" : ": ", outcome.reason);
    }
  }
  fmt::print("\n{:<20}", "suite");
  for (const auto& [kind, word] : kOutcomes) fmt::print(" {:>11}", word);
  fmt::print("\n");
  for (const auto& [name, counts] : suites) PrintRow(name, counts);
  PrintRow("all", all);
  for (const std::string& name : broken) fmt::print("BROKEN: {} passed before\n", name);
  const int passing = all[Outcome::kPass] + all[Outcome::kRandom];
  if (passing < minimum) fmt::print("TOO FEW: {} cases pass, at least {} should\n", passing, minimum);
  return broken.empty() && passing >= minimum ? 0 : 1;
}

}  // namespace
}  // namespace atc::backend_cases

int main(int argc, char** argv) {
  try {
    return atc::backend_cases::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
