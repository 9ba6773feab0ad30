// Compiles random graphs made of the ONNX backend cases under different passes; each must compute what it computes as parsed.
//
//   pass_runner [--cases K] [--seed S] [--every K] [--each] [--subsets N] [--fp16] [--open] [--only TEXT] [--exempt FILE]
//               [--written FILE] [--complete] [--verbose] FOLDER...
//
// All cases, of the folders and of the file of written ones, are dealt out at random, K a graph, so that each is in one; --only takes the graphs with a case whose name holds
// the text, --every each K-th graph. A graph is compiled with no pass, with all, and with three subsets; with --each also with
// each pass alone and all but each. --fp16 compiles for half floats and allows four times the error of the graph without
// optional rewrites; --open leaves the shapes of inputs unknown. --complete: a pass that never rewrote anything is a fault. A graph is worked on in a process of its own. Of a wrong result the first
// rewrite that makes it is named.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "compiler/bisect.h"
#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "test/backend_cases/apart.h"
#include "test/backend_cases/case.h"
#include "test/backend_cases/case_mix.h"
#include "test/backend_cases/written_cases.h"
#include "test/compiler/pass_subsets.h"

namespace atc::backend_cases {
namespace {

constexpr unsigned kSecondsPerGraph = 600;
// Of each written case: in one graph its inputs may be constants, or shapes be unknown, so that a pass finds nothing.
constexpr int kWrittenCopies = 4;
constexpr double kSlack = 4;  // of the error in half floats without passes

struct Options {
  size_t cases = 6;
  uint32_t seed = 1;
  size_t every = 1;
  int subsets = 3;
  bool each = false;
  bool fp16 = false;
  bool open = false;
  bool verbose = false;
};

std::string Text(const Error& error) { return error.diagnostic().code + ": " + MessageText(error.diagnostic()); }

// The largest error of each output in units of 1e-2 and 1e-2 of the value; -1: what is no real number, or not finite.
std::vector<double> Errors(const std::vector<Tensor>& expected, const std::vector<Tensor>& found) {
  std::vector<double> errors(expected.size(), -1);
  for (size_t i = 0; i < expected.size() && i < found.size(); ++i) {
    if (expected[i].dtype() != DT_FLOAT || !(expected[i].shape() == found[i].shape())) continue;
    const std::vector<double> want = ToDoubles(expected[i]), have = ToDoubles(Widen(found[i]));
    double largest = 0;
    for (size_t e = 0; e < want.size() && largest >= 0; ++e) {
      // What overflows half floats says nothing of passes.
      const bool finite = std::abs(want[e]) < 6e4 && std::isfinite(have[e]);
      largest = finite ? std::max(largest, std::abs(want[e] - have[e]) / (1e-2 + 1e-2 * std::abs(want[e]))) : -1;
    }
    errors[i] = largest;
  }
  return errors;
}

class Runner {
 public:
  Runner(const Options& given, const CaseMix& mix, uint32_t seed) : given_(given), mix_(mix), seed_(seed) {
    const std::unique_ptr<Graph> source = mix.graph->Clone();
    InferShapes(*source);
    expected_ = Evaluate(*source, mix.inputs);
  }

  // Faults, a line each.
  std::string Run() {
    const auto subsets = test::PassSubsets(seed_, given_.subsets);
    std::string faults;
    int64_t compilations = 0;
    for (const test::PassSubset& subset : subsets) {
      const bool wanted = given_.each || subset.name.starts_with("subset") || subset.name == "none" || subset.name == "all";
      if (!wanted) continue;
      faults += Try(subset);
      ++compilations;
    }
    faults += fmt::format("COMPILED {}\n", compilations);
    for (const auto& [pass, effects] : effects_) faults += fmt::format("EFFECTS {} {}\n", effects, pass);
    return faults;
  }

 private:
  CompileOptions OptionsFor(const test::PassSet& on) const {
    CompileOptions options;
    options.soc_version = "Ascend910B3";
    options.precision_mode = given_.fp16 ? PrecisionMode::kForceFp16 : PrecisionMode::kKeepOrigin;
    options.passes = test::SwitchesOf(on);
    return options;
  }

  std::string Try(const test::PassSubset& subset) {
    std::string fault;
    try {
      CompileHooks hooks;
      hooks.verify = true;
      hooks.opp_root = "/nonexistent";
      Diagnostics diagnostics;
      const CompileResult result = Compile(mix_.graph->Clone(), OptionsFor(subset.on), &diagnostics, hooks);
      const std::vector<Tensor> found = Evaluate(*result.model.graph, mix_.inputs);
      for (const auto& [pass, counts] : result.journal.counts()) effects_[pass] += counts.effects;
      fault = given_.fp16 ? CompareHalf(subset, found) : Compare(found);
    } catch (const Error& error) {
      fault = Text(error) + "\n";
      if (subset.on.empty()) return "REFUSED " + fault;  // no pass is to blame
    }
    return fault.empty() ? "" : fmt::format("{}: {}{}", subset.name, fault, Blame(subset));
  }

  std::string Compare(const std::vector<Tensor>& found) const {
    std::string faults;
    for (size_t i = 0; i < expected_.size(); ++i) {
      const std::string difference = MixDifference(mix_.outputs[i], expected_[i], found[i]);
      if (!difference.empty()) faults += fmt::format("output {}, {}: {}\n", i, mix_.outputs[i].made_of, difference);
    }
    return faults;
  }

  // The larger of `errors`, of no pass, and of the one that takes branches: they run in half floats outside of their If and in
  // float inside.
  std::vector<double> Plain(std::vector<double> errors) const {
    CompileHooks hooks;
    hooks.opp_root = "/nonexistent";
    Diagnostics diagnostics;
    CompileOptions options = OptionsFor({});
    options.passes = test::SwitchesOf({kCondRemove});
    const CompileResult result = Compile(mix_.graph->Clone(), options, &diagnostics, hooks);
    const std::vector<double> required = Errors(expected_, Evaluate(*result.model.graph, mix_.inputs));
    for (size_t i = 0; i < errors.size(); ++i) {
      errors[i] = errors[i] < 0 || required[i] < 0 ? -1 : std::max(errors[i], required[i]);
    }
    return errors;
  }

  std::string CompareHalf(const test::PassSubset& subset, const std::vector<Tensor>& found) {
    const std::vector<double> errors = Errors(expected_, found);
    if (subset.on.empty()) plain_ = Plain(errors);
    std::string faults;
    for (size_t i = 0; i < errors.size() && !subset.on.empty(); ++i) {
      if (plain_[i] < 0 || errors[i] <= kSlack * std::max(1.0, plain_[i])) continue;
      faults += fmt::format("output {}, {}: error {} against {} without passes\n", i, mix_.outputs[i].made_of, errors[i], plain_[i]);
    }
    return faults;
  }

  std::string Blame(const test::PassSubset& subset) const {
    try {
      const BisectResult result = Bisect(*mix_.graph, OptionsFor(subset.on), mix_.inputs, "/nonexistent");
      return "  " + result.Text();
    } catch (const Error& error) {
      return "  no rewrite is found: " + Text(error) + "\n";
    }
  }

  const Options& given_;
  const CaseMix& mix_;
  const uint32_t seed_;
  std::vector<Tensor> expected_;
  std::vector<double> plain_;  // errors without passes
  std::map<std::string, int64_t> effects_;
};

// One graph, in a process of its own.
std::string RunGraphApart(const Options& given, const std::vector<Case>& cases, uint32_t seed) {
  const ApartResult result = RunApart(kSecondsPerGraph, [&] {
    std::string text;
    std::vector<LoadedCase> loaded;
    for (const Case& which : cases) {
      try {
        loaded.push_back(which.text.empty() ? LoadCase(which.name, which.model) : LoadWrittenCase(which));
      } catch (const Error& error) {
        text += fmt::format("{} {}: {}\n", which.text.empty() ? "LEFT OUT" : "REFUSED", which.name, Text(error));
      } catch (const std::exception& error) {
        text += fmt::format("{} {}: {}\n", which.text.empty() ? "LEFT OUT" : "REFUSED", which.name, error.what());
      }
    }
    try {
      const CaseMix mix = MixCases(loaded, seed, given.open);
      text += Runner(given, mix, seed).Run();
    } catch (const Error& error) {
      text += "REFUSED as parsed: " + Text(error) + "\n";
    }
    return text;
  });
  return result.fault.empty() ? result.text : fmt::format("{}{}\n", result.text, result.fault);
}

std::vector<std::string> Names(const std::vector<Case>& cases) {
  std::vector<std::string> names;
  for (const Case& which : cases) names.push_back(which.name);
  return names;
}

int Main(int argc, char** argv) {
  CLI::App app("Compiles random graphs of backend cases under different passes.");
  Options given;
  std::string only, exempt_file, written;
  std::vector<std::string> folders;
  bool complete = false;
  app.add_option("--cases", given.cases, "cases in a graph");
  app.add_option("--seed", given.seed, "of the graphs");
  app.add_option("--every", given.every, "each K-th graph alone");
  app.add_option("--subsets", given.subsets, "random subsets of the passes");
  app.add_flag("--each", given.each, "each pass alone, and all but each");
  app.add_flag("--fp16", given.fp16, "for half floats");
  app.add_flag("--open", given.open, "shapes of inputs are unknown");
  app.add_flag("--verbose", given.verbose, "name what is left out, too");
  app.add_option("--only", only, "graphs with a case whose name holds this text");
  app.add_option("--exempt", exempt_file, "file of cases that are random or left out");
  app.add_option("--written", written, "file of cases as text");
  app.add_flag("--complete", complete, "each pass must rewrite something");
  app.add_option("folders", folders, "where the cases are")->required();
  CLI11_PARSE(app, argc, argv);
  std::map<std::string, Exemption> exemptions;
  if (!exempt_file.empty()) exemptions = ReadExemptions(exempt_file);
  std::vector<Case> cases;
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(folder)) {
      fmt::print("SKIPPED: there is no folder {}\n", folder);
      return 0;
    }
    for (Case& which : FindCases(folder)) {
      const bool small = which.name.starts_with("node/") || which.name.starts_with("pytorch-") || which.name.starts_with("simple/");
      if (small && !exemptions.contains(which.name)) cases.push_back(std::move(which));
    }
  }
  if (!written.empty()) {
    const std::vector<Case> texts = ReadWrittenCases(written);
    for (int copy = 0; copy < kWrittenCopies; ++copy) cases.insert(cases.end(), texts.begin(), texts.end());
  }
  std::mt19937 random(given.seed);
  for (size_t i = cases.size(); i-- > 1;) std::swap(cases[i], cases[random() % (i + 1)]);

  size_t graphs = 0, wrong = 0, left_out = 0;
  int64_t compilations = 0;
  std::map<std::string, int64_t> effects;
  for (size_t begin = 0; begin < cases.size(); begin += given.cases) {
    const std::vector<Case> some(cases.begin() + static_cast<ptrdiff_t>(begin),
                                 cases.begin() + static_cast<ptrdiff_t>(std::min(begin + given.cases, cases.size())));
    const bool named = std::any_of(some.begin(), some.end(), [&](const Case& c) { return c.name.find(only) != std::string::npos; });
    if (begin / given.cases % given.every != 0 || !named) continue;
    ++graphs;
    const std::string text = RunGraphApart(given, some, given.seed + static_cast<uint32_t>(begin));
    std::string faults;
    bool faulty = false;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      const std::string line = text.substr(at, end - at);
      at = end;
      if (line.starts_with("COMPILED ")) {
        compilations += std::stoll(line.substr(9));
        continue;
      }
      if (line.starts_with("EFFECTS ")) {
        size_t name = 0;
        const int64_t count = std::stoll(line.substr(8), &name);
        effects[line.substr(8 + name + 1, line.size() - 8 - name - 2)] += count;
        continue;
      }
      const bool aside = line.starts_with("LEFT OUT ");
      left_out += aside;
      faulty |= !aside;
      if (!aside || given.verbose) faults += line;
    }
    wrong += faulty;
    if (!faults.empty()) fmt::print("graph {} ({}):\n{}", begin / given.cases, fmt::join(Names(some), ", "), faults);
  }
  fmt::print("rewrites by pass:\n");
  std::vector<std::string_view> idle;
  for (const PassInfo& pass : KnownPasses()) {
    const int64_t count = effects[std::string(pass.name)];
    fmt::print("{:>8} {}\n", count, pass.name);
    if (count == 0) idle.push_back(pass.name);
  }
  if (complete && !idle.empty()) fmt::print("never rewrote anything: {}\n", fmt::join(idle, ", "));
  fmt::print("{} graphs, {} compilations, {} wrong; {} cases left out\n", graphs, compilations, wrong, left_out);
  return wrong == 0 && (!complete || idle.empty()) ? 0 : 1;
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
