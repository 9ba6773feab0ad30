// Command lines and what atc says of them, from flag_cases.txt: each flag legal and illegal, each exclusion, the
// corners of each grammar. The file holds the exact texts; OPENATC_WRITE_CASES=FILE writes one with the texts of today.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "cmd/atc/raw_ge_options.h"
#include "cmd/atc/relations.h"
#include "cmd/atc/singleop_file.h"
#include "cmd/atc/validate.h"
#include "compiler/ir/error_catalogue.h"
#include "parsers/onnx/parser.h"
#include "test/cmd/atc/run_atc.h"
#include "test/cmd/atc/small_model.h"

namespace atc::cli {
namespace {

constexpr char kCases[] = "test/cmd/atc/flag_cases.txt";

struct Case {
  std::string line;    // the command line after the program's name; see the head of the file
  std::string wanted;  // lines
};

// Comments and blank lines as they stand, cases without their indent.
struct CaseFile {
  std::vector<Case> cases;
  std::vector<std::string> before;  // text before each case
};

CaseFile ReadCases() {
  CaseFile file;
  std::ifstream in(kCases);
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
std::vector<std::string> Cut(const std::string& line) {
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

void Replace(const std::string& from, const std::string& to, std::string* text) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

std::string Told(const Diagnostic& diagnostic) {
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
  std::string Run(std::string line) const {
    if (line[0] == '!') {
      line.erase(0, 1);
    } else {
      line = "--model=DIR/m.onnx --framework=5 --soc_version=Ascend910B3 --output=DIR/out/m " + line;
    }
    Replace("DIR", folder_.path, &line);
    std::string told = RunArgs(Cut(line));
    Replace(folder_.path, "DIR", &told);
    return told;
  }

 private:
  static std::string RunArgs(const std::vector<std::string>& args) {
    Diagnostics warnings;
    std::string told;
    try {
      FlagValues flags = ParseCommandLine(args);
      ApplyRawGeOptions(&flags, &warnings);
      CheckAlways(flags);
      const std::string mode = flags.Get("mode");
      if (mode == "1" || mode == "5") {
        CheckToJson(flags);
      } else if (mode == "3") {
        CheckPrecheck(flags);
      } else if (flags.IsSet("singleop")) {
        CheckSingleOp(flags, &warnings);
        ReadSingleOps(flags.Get("singleop"));
      } else if (mode == "6") {
        CheckDisplay(flags);
      } else {
        const CompileOptions options = CheckConversion(flags, &warnings);
        ParseOnnx(options.model_path, options, &warnings);
      }
      told = "ok\n";
    } catch (const LexicalError& error) {
      told = std::string(error.what()) + "\n";
    } catch (const Error& error) {
      told = Told(error.diagnostic());
    }
    for (const Diagnostic& warning : warnings.all()) told += Told(warning);
    return told;
  }

  TestFolder folder_;
};

TEST_CASE("command lines and what is said of them") {
  const CaseFile file = ReadCases();
  CHECK(file.cases.size() >= 250);
  const Runner runner;
  std::ofstream out;
  if (const char* path = std::getenv("OPENATC_WRITE_CASES")) out.open(path);
  std::set<std::string> lines;
  for (size_t i = 0; i < file.cases.size(); ++i) {
    const Case& entry = file.cases[i];
    INFO(entry.line);
    CHECK(lines.insert(entry.line).second);
    const std::string told = runner.Run(entry.line);
    if (!out.is_open()) CHECK(told == entry.wanted);
    std::string indented = told;
    indented.pop_back();
    Replace("\n", "\n    ", &indented);
    out << file.before[i] << entry.line << "\n    " << indented << "\n";
  }
  CHECK_FALSE(std::filesystem::exists("out"));
}

TEST_CASE("every flag has a case in which it is right and one in which it is wrong, as far as it can be") {
  // Whatever is written after these, something is made of it.
  const std::set<std::string> never_wrong = {"build_config", "device_id", "enable_scope_fusion_passes", "target"};
  const std::set<std::string> never_right = {"auto_tune_mode", "help"};
  std::set<std::string> right, wrong;
  for (const Case& entry : ReadCases().cases) {
    const bool ok = entry.wanted.starts_with("ok\n");
    for (std::string arg : Cut(entry.line)) {
      arg.erase(0, arg.find_first_not_of("!-"));
      (ok ? right : wrong).insert(arg.substr(0, arg.find('=')));
    }
  }
  for (const Flag& flag : FlagTable()) {
    if (flag.own) continue;  // they have tests of their own
    INFO(flag.name);
    const std::string name(flag.name);
    if (flag.effect != Effect::kRefused && !never_right.contains(name)) CHECK(right.contains(name));
    if (!never_wrong.contains(name)) CHECK(wrong.contains(name));
  }
}

TEST_CASE("every relation of the table is enforced with the code that it names") {
  const Runner runner;
  for (const Relation& relation : Relations()) {
    INFO(relation.breach);
    if (relation.late) {
      const TestFolder folder;
      std::vector<std::string> args = {"--model=" + folder.File("m.onnx", SmallModel()), "--framework=5",
                                       "--soc_version=Ascend910B3", "--output=" + folder.path + "/m",
                                       "--input_shape=x:1,3,4"};
      for (const std::string& arg : Cut(std::string(relation.breach))) args.push_back(arg);
      CHECK(RunAtc(args).out.find("(" + std::string(relation.code) + ")") != std::string::npos);
      continue;
    }
    CHECK(runner.Run(std::string(relation.breach)).starts_with(relation.code));
  }
}

}  // namespace
}  // namespace atc::cli
