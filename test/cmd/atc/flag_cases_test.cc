// Command lines and what atc says of them, from flag_cases.txt: each flag legal and illegal, each exclusion, the
// corners of each grammar. The file holds the exact texts; OPENATC_WRITE_CASES=FILE writes one with the texts of today.
// spec_cases.txt holds the codes and arguments that the specification asks for.
#include "test/cmd/atc/flag_cases.h"

#include <cstdlib>
#include <set>

#include "cmd/atc/relations.h"

namespace atc::cli {
namespace {

constexpr char kCases[] = "test/cmd/atc/flag_cases.txt";
constexpr char kSpecCases[] = "test/cmd/atc/spec_cases.txt";

// "E10001 parameter=--mode value=9": the code, and arguments by name; a value goes up to the next " name=".
struct Wanted {
  std::string code;
  std::vector<std::pair<std::string, std::string>> args;
};

Wanted ReadWanted(const std::string& text) {
  Wanted wanted;
  std::string word;
  std::istringstream in(text);
  in >> wanted.code;
  while (in >> word) {
    const size_t equals = word.find('=');
    if (equals != std::string::npos && word[0] != '-' && equals > 0) {
      wanted.args.push_back({word.substr(0, equals), word.substr(equals + 1)});
    } else {
      wanted.args.back().second += " " + word;
    }
  }
  return wanted;
}

TEST_CASE("wrong command lines end in the code and arguments of the specification") {
  const CaseFile file = ReadCases(kSpecCases);
  CHECK(file.cases.size() >= 60);
  const Runner runner;
  for (const Case& entry : file.cases) {
    INFO(entry.line);
    const Wanted wanted = ReadWanted(entry.wanted);
    const auto fault = runner.Fault(entry.line);
    CHECK((fault ? fault->code : "none") == wanted.code);
    if (!fault || fault->code != wanted.code) continue;
    for (const auto& [name, value] : wanted.args) {
      INFO(name);
      std::string found = "absent";
      for (const auto& [arg, text] : fault->args) {
        if (arg == name) found = text;
      }
      CHECK(found == value);
    }
  }
}

TEST_CASE("command lines and what is said of them") {
  const CaseFile file = ReadCases(kCases);
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
  // Image sizes are for inputs of 4 dims, which the model of these lines has not.
  const std::set<std::string> never_right = {"auto_tune_mode", "compression_optimize_conf", "dynamic_image_size",
                                             "help"};
  std::set<std::string> right, wrong;
  for (const Case& entry : ReadCases(kCases).cases) {
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
