// Command lines in a file, and what atc says of them.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "cmd/atc/check_model.h"
#include "cmd/atc/raw_ge_options.h"
#include "cmd/atc/singleop_file.h"
#include "cmd/atc/validate.h"
#include "compiler/ir/error_catalogue.h"
#include "parsers/onnx/parser.h"
#include "test/cmd/atc/run_atc.h"
#include "test/cmd/atc/small_model.h"

namespace atc::cli {

struct Case {
  std::string line;    // the command line after the program's name; see the head of the file
  std::string wanted;  // lines
};

// Comments and blank lines as they stand, cases without their indent.
struct CaseFile {
  std::vector<Case> cases;
  std::vector<std::string> before;  // text before each case
};

inline CaseFile ReadCases(const char* path) {
  CaseFile file;
  std::ifstream in(path);
  std::string pending;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') {
      pending += line + "\n";
    } else if (line.starts_with("    ")) {
      REQUIRE_FALSE(file.cases.empty());
      file.cases.back().wanted += line.substr(4) + "\n";
    } else {
      file.cases.push_back({line, ""});
      file.before.push_back(std::move(pending));
      pending.clear();
    }
  }
  return file;
}

// As a shell would cut it.
inline std::vector<std::string> Cut(const std::string& line) {
  std::vector<std::string> args;
  bool quoted = false, open = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      if (!open) args.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) args.emplace_back();
      open = true;
      args.back() += c;
    }
  }
  return args;
}

inline void Replace(const std::string& from, const std::string& to, std::string* text) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

inline std::string Told(const Diagnostic& diagnostic) {
  std::string text = diagnostic.code + " " + MessageText(diagnostic) + "\n";
  if (!diagnostic.cure.empty()) text += "cure: " + diagnostic.cure + "\n";
  for (auto where = diagnostic.context.rbegin(); where != diagnostic.context.rend(); ++where) {
    if (!where->starts_with("file '")) text += "trace: " + *where + "\n";
  }
  return text;
}

class Runner {
 public:
  Runner() {
    folder_.File("m.onnx", SmallModel());
    folder_.File("any.txt", "");
    folder_.File("fake.om", "no om");
    folder_.File("mix.json", R"({"black-list": {"to-add": ["Relu"]}})");
    folder_.File("raw.json", R"({"compile options": {"graph": {"ge.exec.precision_mode_v2": "origin"}}})");
    folder_.File("ops.json", R"([{"op": "Relu"}])");
    folder_.File("aipp.cfg", "aipp_op { aipp_mode: static input_format: RGB888_U8 }");
    folder_.File("odd.json", R"({"compile options": {"graph": {"ge.nothing": "1"}}})");
    std::filesystem::create_directory(folder_.path + "/folder");
  }

  // What is told, with the folder's name as "DIR".
  std::string Run(const std::string& line) const {
    const Outcome outcome = RunArgs(Cut(InFolder(line)));
    std::string told = outcome.usage;
    if (outcome.fault) told = Told(*outcome.fault);
    if (told.empty()) told = "ok\n";
    for (const Diagnostic& warning : outcome.warnings.all()) told += Told(warning);
    Replace(folder_.path, "DIR", &told);
    return told;
  }

  // The fault alone, if there is one that has a code.
  std::optional<Diagnostic> Fault(const std::string& line) const { return RunArgs(Cut(InFolder(line))).fault; }

  std::string InFolder(std::string line) const {
    if (line[0] == '!') {
      line.erase(0, 1);
    } else {
      line = "--model=DIR/m.onnx --framework=5 --soc_version=Ascend910B3 --output=DIR/out/m " + line;
    }
    Replace("DIR", folder_.path, &line);
    return line;
  }

 private:
  struct Outcome {
    std::string usage;  // of a line that cannot be read
    std::optional<Diagnostic> fault;
    Diagnostics warnings;
  };

  static Outcome RunArgs(const std::vector<std::string>& args) {
    Outcome outcome;
    try {
      Check(args, &outcome.warnings);
    } catch (const LexicalError& error) {
      outcome.usage = std::string(error.what()) + "\n";
    } catch (const Error& error) {
      outcome.fault = error.diagnostic();
    }
    return outcome;
  }

  // All checks that come before the compiler.
  static void Check(const std::vector<std::string>& args, Diagnostics* warnings) {
    FlagValues flags = ParseCommandLine(args);
    ApplyRawGeOptions(&flags, warnings);
    CheckAlways(flags);
    const std::string mode = flags.Get("mode");
    if (mode == "1" || mode == "5") {
      CheckToJson(flags);
    } else if (mode == "3") {
      CheckPrecheck(flags);
    } else if (flags.IsSet("singleop")) {
      CheckSingleOp(flags, warnings);
      ReadSingleOps(flags.Get("singleop"));
    } else if (mode == "6") {
      CheckDisplay(flags);
    } else {
      const CompileOptions options = CheckConversion(flags, warnings);
      const auto graph = ParseOnnx(options.model_path, options, warnings);
      // The model's open dim is beside the point where a line does not speak of shapes.
      if (flags.IsSet("input_shape")) CheckModel(*graph, flags, options);
      RefuseUnavailable(flags);
    }
  }

  TestFolder folder_;
};

}  // namespace atc::cli
