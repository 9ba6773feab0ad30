// What a CI system relies on: nothing is written unasked, silence in a pipe, reports, manifests, the environment.
#include <pty.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>

#include "cmd/atc/environment.h"
#include "cmd/atc/flag_table.h"
#include "compiler/ir/error_catalogue.h"
#include "test/cmd/atc/run_atc.h"
#include "test/cmd/atc/small_model.h"

namespace atc::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) files.push_back(fs::relative(entry.path(), folder));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> Line(const TestFolder& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> args = {"--model=" + folder.File("m.onnx", SmallModel()),
                                   "--framework=5",
                                   "--soc_version=Ascend910B3",
                                   "--output=" + folder.path + "/out/m",
                                   "--input_shape=x:1,3,4",
                                   "--precision_mode_v2=origin"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST_CASE("nothing is written but the om, with a home and a folder that cannot be written to") {
  const TestFolder folder, empty;
  fs::create_directory(empty.path + "/home");
  fs::create_directory(empty.path + "/cwd");
  chmod((empty.path + "/home").c_str(), 0500);
  chmod((empty.path + "/cwd").c_str(), 0500);
  const Environment environment = {{"HOME", empty.path + "/home"}, {"TMPDIR", empty.path + "/home"}};
  const Result good = RunAtc(Line(folder), environment, empty.path + "/cwd");
  CHECK(good.status == 0);
  CHECK(good.err.empty());
  CHECK(Files(folder.path) == std::vector<std::string>{"m.onnx", "out/m.om"});
  // A superuser could have written all the same.
  CHECK(Files(empty.path).empty());

  const Result bad = RunAtc(Line(folder, {"--output=" + folder.path + "/bad/m", "--input_shape=z:1"}), environment,
                            empty.path + "/cwd");
  CHECK(bad.status == 255);
  CHECK(Files(empty.path).empty());
  CHECK(Files(folder.path) == std::vector<std::string>{"m.onnx", "out/m.om"});
  chmod((empty.path + "/home").c_str(), 0700);
  chmod((empty.path + "/cwd").c_str(), 0700);
}

// What the program writes to stderr where that is a terminal; nothing where the machine gives out none.
std::optional<std::string> OnTerminal(const std::vector<std::string>& args) {
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid < 0) return std::nullopt;
  if (pid == 0) {
    if (!freopen("/dev/null", "w", stdout)) _exit(1);
    std::vector<char*> argv = {const_cast<char*>(OPENATC_ATC)};
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    execv(OPENATC_ATC, argv.data());
    _exit(1);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(terminal, buffer, sizeof(buffer))) > 0;) text.append(buffer, count);
  close(terminal);
  waitpid(pid, nullptr, 0);
  return text;
}

TEST_CASE("a terminal sees the stage, how many there are, and the size of the graph") {
  const TestFolder folder;
  const std::optional<std::string> terminal = OnTerminal(Line(folder));
  if (!terminal) {
    WARN("SKIPPED: no pseudo-terminal here (/dev/pts)");
    return;
  }
  const std::string& shown = *terminal;
  std::vector<std::pair<int, int>> stages;
  const std::regex stage(R"(\r\x1b\[K\[\d+\.\d s\] stage (\d+) of (\d+): \w+(, \d+ nodes)?)");
  for (std::sregex_iterator match(shown.begin(), shown.end(), stage), end; match != end; ++match) {
    stages.emplace_back(std::stoi((*match)[1]), std::stoi((*match)[2]));
  }
  REQUIRE(stages.size() > 10);
  for (size_t i = 0; i < stages.size(); ++i) {
    CHECK(stages[i].first == static_cast<int>(i) + 1);
    CHECK(stages[i].second == static_cast<int>(stages.size()));
  }
  CHECK(shown.find(" of " + std::to_string(stages.size()) + ": parse") != std::string::npos);
  CHECK(shown.find(": AfterInfershape, 4 nodes") != std::string::npos);
  CHECK(shown.ends_with("\r\x1b[K"));  // the line is cleared at the end
}

TEST_CASE("reports go to stderr or into a file, on success too") {
  const TestFolder folder;
  const Result failed = RunAtc(Line(folder, {"--input_shape=z:1,3,4"}), {{"ATC_DIAGNOSTICS", "json"}});
  CHECK(failed.status == 255);
  CHECK(failed.out.find("(E10016)") != std::string::npos);
  const auto json = nlohmann::json::parse(failed.err);
  CHECK(json["diagnostics"][0]["code"] == "E10016");
  CHECK(json["diagnostics"][0]["trace"][0] == "file '" + folder.path + "/m.onnx'");

  const std::string file = folder.path + "/made/atc.sarif";
  const Result good = RunAtc(Line(folder, {"--sparsity=1"}), {{"ATC_DIAGNOSTICS", "sarif:" + file}});
  CHECK(good.status == 0);
  CHECK(good.err.empty());
  const auto sarif = nlohmann::json::parse(ReadFile(file));
  CHECK(sarif["runs"][0]["results"][0]["ruleId"] == "W10001");
  CHECK(sarif["runs"][0]["invocations"][0]["executionSuccessful"] == true);

  // A report that cannot be written is told before the work.
  const Result unwritable = RunAtc(Line(folder), {{"ATC_DIAGNOSTICS", "sarif:/dev/null/none"}});
  CHECK(unwritable.status == 255);
  CHECK(unwritable.out.find("(E13001)") != std::string::npos);
  CHECK(unwritable.out.find("success") == std::string::npos);
  CHECK_FALSE(fs::exists(folder.path + "/out/none.om"));

  // A command line that cannot be read has no line of its own beside the report.
  const Result usage = RunAtc({"--modle=m"}, {{"ATC_DIAGNOSTICS", "github"}});
  CHECK(usage.err ==
        "::error title=usage Usage::unknown command line flag 'modle'%0A       did you mean --mode or "
        "--model?%0ASolution: atc --help shows how flags are written.\n");
}

TEST_CASE("a manifest has the hashes of all that goes in and comes out, and is the same for equal runs") {
  const TestFolder folder;
  const Environment wanted = {{"ATC_MANIFEST", "1"}};
  CHECK(RunAtc(Line(folder, {"--output=" + folder.path + "/a/m"}), wanted).status == 0);
  CHECK(RunAtc(Line(folder, {"--output=" + folder.path + "/b/m"}), wanted).status == 0);
  const std::string first = ReadFile(folder.path + "/a/m.om.manifest.json");
  CHECK(first == ReadFile(folder.path + "/b/m.om.manifest.json"));
  CHECK(first.find(folder.path) == std::string::npos);
  const auto json = nlohmann::json::parse(first);
  CHECK(json["schema"] == 1);
  CHECK(json["model"]["file"] == "m.onnx");
  CHECK(json["model"]["bytes"] == SmallModel().size());
  // From sha256sum.
  CHECK(json["model"]["sha256"] == "48434e2fc99d8413d6a1c97a1448d21a0a608d033cdb67557604ce0e9b19ea06");
  CHECK(json["om"]["file"] == "m.om");
  CHECK(json["om"]["bytes"] == fs::file_size(folder.path + "/a/m.om"));
  CHECK(json["flags"]["input_shape"] == "x:1,3,4");
  CHECK(json["stages"].size() > 10);
  CHECK(json["stages"][0]["stage"] == "GraphPreRunBegin");

  // Another shape: the model is the same, the stages part where shapes enter.
  CHECK(RunAtc(Line(folder, {"--output=" + folder.path + "/c/m", "--input_shape=x:1,5,4"}), wanted).status == 0);
  const auto other = nlohmann::json::parse(ReadFile(folder.path + "/c/m.om.manifest.json"));
  CHECK(other["model"] == json["model"]);
  CHECK(other["om"]["sha256"] != json["om"]["sha256"]);
  CHECK(other["stages"].back() != json["stages"].back());
  CHECK_FALSE(fs::exists(folder.path + "/out"));
}

TEST_CASE("a manifest tells of weights beside the om, and a summary of parameters") {
  const TestFolder folder;
  const std::string model = folder.File("w.onnx", WeightModel());
  for (const auto& [kind, files] : std::vector<std::pair<std::string, size_t>>{{"0", 0}, {"1", 1}, {"2", 1}}) {
    INFO(kind);
    const std::string om = folder.path + "/out" + kind + "/m";
    const Result result = RunAtc({"--model=" + model, "--framework=5", "--soc_version=Ascend910B3", "--output=" + om,
                                  "--precision_mode_v2=origin", "--external_weight=" + kind},
                                 {{"ATC_MANIFEST", "1"}});
    REQUIRE(result.status == 0);
    const auto json = nlohmann::json::parse(ReadFile(om + ".om.manifest.json"));
    REQUIRE(json["weight_files"].size() == files);
    for (const auto& entry : json["weight_files"]) {
      const std::string file = entry["file"];
      CHECK(entry["bytes"] == fs::file_size(folder.path + "/out" + kind + "/" + file));
      // A file of its own is named by the hash of its content.
      if (kind == "1") CHECK(file == "weight/weight_" + entry["sha256"].get<std::string>());
    }
  }
  const auto json = nlohmann::json::parse(RunAtc({"--summary", "--json", "--model=" + model}).out);
  CHECK(json["parameters"] == 4);
  CHECK(json["parameter_bytes"] == 16);
}

std::string Warned(const EnvironmentMap& environment) {
  Diagnostics warnings;
  CheckEnvironment(environment, &warnings);
  std::string text;
  for (const Diagnostic& warning : warnings.all()) text += warning.code + " " + MessageText(warning) + "\n";
  return text;
}

TEST_CASE("values of variables that are legal, and what is said of others") {
  for (const EnvironmentMap& good : std::vector<EnvironmentMap>{
           {{"DUMP_GE_GRAPH", "2"}, {"DUMP_GRAPH_LEVEL", "1"}, {"DUMP_GRAPH_FORMAT", "ge_proto|ONNX|readable"}},
           {{"DUMP_GRAPH_LEVEL", "PreRunBegin|Infershape"}, {"DUMP_GRAPH_PATH", "/nowhere"}},
           {{"DUMP_GRAPH_LEVEL", "RunCustomPass_Mine"}},
           {{"DUMP_GRAPH_LEVEL", "|Build|"}, {"DUMP_GRAPH_FORMAT", "onnx|"}},
           {{"DUMP_GRAPH_LEVEL", "InferShapeBlackBox"}},
           {{"DUMP_GRAPH_LEVEL", "after_parser||Infer"}},
           {{"ASCEND_GLOBAL_LOG_LEVEL", "3"}, {"ASCEND_SLOG_PRINT_TO_STDOUT", "1"}, {"ATC_EVENTS", "ge"}},
           {{"ATC_DIAGNOSTICS", "sarif:x"}, {"ATC_MANIFEST", "1"}, {"DUMP_GE_GRAPH", ""}},
           {{"HOME", "/x"}, {"PATH", "/bin"}, {"ASCEND_TOOLKIT_HOME", "/x"}, {"DUMP_SOMETHING_ELSE", "1"}}}) {
    CHECK(Warned(good).empty());
  }
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>> cases = {
      {{"DUMP_GE_GRAPH", "4"},
       "The environment variable DUMP_GE_GRAPH is '4'. It takes 0, 1, 2, 3, and is left aside."},
      {{"DUMP_GRAPH_LEVEL", "7"},
       "The environment variable DUMP_GRAPH_LEVEL is '7'. The levels are 1, 2, 3, 4; no stage is dumped."},
      {{"DUMP_GRAPH_LEVEL", "PreRunBegn"},
       "The environment variable DUMP_GRAPH_LEVEL is 'PreRunBegn'. No stage has 'PreRunBegn' in its name. Did you mean "
       "'PreRunBegin'?"},
      {{"DUMP_GRAPH_LEVEL", "|"},
       "The environment variable DUMP_GRAPH_LEVEL is '|'. It names no stage, and none is dumped. The levels are 1, 2, "
       "3, 4."},
      {{"DUMP_GRAPH_LEVEL", "||"},
       "The environment variable DUMP_GRAPH_LEVEL is '||'. It names no stage, and none is dumped. The levels are 1, 2, "
       "3, 4."},
      {{"DUMP_GRAPH_LEVEL", "Build| "},
       "The environment variable DUMP_GRAPH_LEVEL is 'Build| '. No stage has ' ' in its name."},
      {{"DUMP_GRAPH_LEVEL", "Build |Prepare"},
       "The environment variable DUMP_GRAPH_LEVEL is 'Build |Prepare'. No stage has 'Build ' in its name. Did you mean "
       "'Build'?"},
      {{"DUMP_GRAPH_LEVEL", "2 "},
       "The environment variable DUMP_GRAPH_LEVEL is '2 '. No stage has '2 ' in its name."},
      {{"DUMP_GRAPH_FORMAT", "||"},
       "The environment variable DUMP_GRAPH_FORMAT is '||'. It names none of ge_proto, onnx, readable."},
      {{"DUMP_GRAPH_FORMAT", "onnx|pbtxt"},
       "The environment variable DUMP_GRAPH_FORMAT is 'onnx|pbtxt'. 'pbtxt' is none of ge_proto, onnx, readable."},
      {{"DUMP_GRAPH_FORMAT", "geproto"},
       "The environment variable DUMP_GRAPH_FORMAT is 'geproto'. 'geproto' is none of ge_proto, onnx, readable. Did "
       "you "
       "mean 'ge_proto'?"},
      {{"DUMP_GE_GRAHP", "2"},
       "The environment variable DUMP_GE_GRAHP is '2'. No variable of that name is read. Did you mean "
       "'DUMP_GE_GRAPH'?"},
      {{"DUMP_GRAPH_LEVLE", "1"},
       "The environment variable DUMP_GRAPH_LEVLE is '1'. No variable of that name is read. Did you mean "
       "'DUMP_GRAPH_LEVEL'?"},
      {{"ASCEND_GLOBAL_LOG_LEVEL", "info"},
       "The environment variable ASCEND_GLOBAL_LOG_LEVEL is 'info'. It takes 0, 1, 2, 3, 4, and is left aside."},
      {{"ATC_DIAGNOSTICS", "xml"},
       "The environment variable ATC_DIAGNOSTICS is 'xml'. It takes json, sarif, github, or one of them with :FILE; "
       "nothing is reported."},
      {{"OPENATC_ENGINES", "/nowhere/engines.json"},
       "The environment variable OPENATC_ENGINES is '/nowhere/engines.json'. It takes a file, and there is none of "
       "that "
       "name to read."},
      {{"TE_PARALLEL_COMPILER", "8"}, "The environment variable TE_PARALLEL_COMPILER is '8'. It has no effect here."},
      {{"HCCL_CONNECT_TIMEOUT", "120"},
       "The environment variable HCCL_CONNECT_TIMEOUT is '120'. It has no effect here."},
  };
  for (const auto& [variable, text] : cases) CHECK(Warned({variable}) == "W10002 " + text + "\n");
}

TEST_CASE("every variable says what it takes when it is given something else, and none is silent without effect") {
  for (const EnvironmentVariable& variable : EnvironmentVariables()) {
    std::string name(variable.name);
    INFO(name);
    if (name.ends_with('*')) name.back() = 'X';
    const std::string told = Warned({{name, "no such value"}});
    if (!variable.used) {
      CHECK(told.find("It has no effect here.") != std::string::npos);
      continue;
    }
    const bool takes_anything = variable.rule == VariableRule::kText || variable.rule == VariableRule::kFolder;
    CHECK(told.empty() == takes_anything);
    if (variable.rule == VariableRule::kStages) continue;  // its value is a part of a name, of which there are many
    for (const std::string_view word : Words(variable.values)) CHECK(told.find(word) != std::string::npos);
  }
  for (const char* wrong : {"0", "-1", "many", "1.5"}) {
    CHECK(Warned({{"MAX_COMPILE_CORE_NUMBER", wrong}}).find("a whole number, 1 or greater") != std::string::npos);
  }
  CHECK(Warned({{"MAX_COMPILE_CORE_NUMBER", "4"}, {"IGNORE_INFER_ERROR", "yes"}, {"ENABLE_NETWORK_ANALYSIS_DEBUG", "1"}}).empty());
}

TEST_CASE("the table has every variable that the sources of the converter read") {
  const std::set<std::string> of_the_system = {"HOME"};
  std::set<std::string> known = of_the_system;
  for (const EnvironmentVariable& variable : EnvironmentVariables()) CHECK(known.emplace(variable.name).second);
  const std::regex read("\\b(?:getenv|Variable|Environment)\\(\"([A-Z_]+)\"");
  size_t found = 0;
  for (const char* folder : {"cmd/atc", "compiler", "parsers", "plugins/loader", "plugins/operators", "plugins/sdk"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().extension();
      if (name != ".cc" && name != ".h") continue;
      const std::string text = ReadFile(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), read), end; match != end; ++match, ++found) {
        INFO(entry.path() << ": " << (*match)[1]);
        CHECK(known.contains((*match)[1]));
      }
    }
  }
  CHECK(found > 10);
}

TEST_CASE("the work folder is made, or that it cannot be made is told") {
  const TestFolder folder;
  const Result good = RunAtc(Line(folder), {{"ASCEND_WORK_PATH", folder.path + "/made/deep"}});
  CHECK(good.status == 0);
  CHECK(fs::is_directory(folder.path + "/made/deep"));
  const std::string file = folder.File("file", "");
  const Result bad = RunAtc(Line(folder), {{"ASCEND_WORK_PATH", file + "/below"}});
  CHECK(bad.status == 255);
  CHECK(bad.out.find("(E10001): ASCEND_WORK_PATH cannot be '" + file + "/below'. [Errno 20] Not a directory.") !=
        std::string::npos);
}

TEST_CASE("the program tells of the environment once, after success") {
  const TestFolder folder;
  const Result result = RunAtc(Line(folder), {{"DUMP_GE_GRPAH", "1"}});
  CHECK(result.status == 0);
  CHECK(result.out.find("welcome to the next use.\n[PID: ") != std::string::npos);
  CHECK(result.out.find("Config_Warning(W10002): The environment variable DUMP_GE_GRPAH is '1'.") != std::string::npos);
}

TEST_CASE("a summary tells what is in a model, to people and to programs") {
  const TestFolder folder;
  const std::string model = folder.File("m.onnx", SmallModel());
  const Result text = RunAtc({"--summary", "--model=" + model});
  CHECK(text.status == 0);
  CHECK(text.out == "model      " + model + ", 106 bytes\n" +
                        "onnx       IR version 7; ai.onnx 13\n"
                        "input      x  DT_FLOAT [1, n, 4]\n"
                        "output     y  DT_FLOAT [1, n, 4]\n"
                        "parameters 0, 0 bytes\n"
                        "operators  2 nodes of 2 types\n"
                        "         1 Add\n"
                        "         1 Relu\n"
                        "All operators are supported.\n");
  const auto json = nlohmann::json::parse(RunAtc({"--summary", "--model", model, "--json"}).out);
  CHECK(json["opsets"]["ai.onnx"] == 13);
  CHECK(json["inputs"][0]["dims"] == nlohmann::json({1, "n", 4}));
  CHECK(json["operators"][1]["type"] == "Relu");
  CHECK(json["operators"][1]["first_node"] == "relu");
  CHECK(json["unsupported"].empty());

  const Result missing = RunAtc({"--summary"});
  CHECK(missing.status == 255);
  CHECK(missing.out.empty());
  CHECK(missing.err.find("(E10054): --model is required and missing.") != std::string::npos);
  CHECK(RunAtc({"--summary", "--model", folder.File("t.onnx", "text")}).err.find("(E13005)") != std::string::npos);
}

}  // namespace
}  // namespace atc::cli
