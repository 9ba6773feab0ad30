// The program as a user meets it: what it prints, where to, and its exit status.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <thread>

#include "cmd/atc/signals.h"
#include "compiler/io/mapped_file.h"
#include "compiler/om/writer.h"
#include "test/compiler/om/sample_model.h"

namespace {

constexpr char kStart[] = "ATC start working now, please wait for a moment.\n";
constexpr char kFailed[] = "ATC run failed, Please check the detail log, Try 'atc --help' for more information\n";

std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/openatc_program_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string File(const std::string& name, const std::string& content) const {
    std::ofstream(path + "/" + name, std::ios::binary) << content;
    return path + "/" + name;
  }
};

struct Result {
  int status = -1;
  std::string out, err;
};

// Starts the program with both streams in files of `folder`.
pid_t Start(const Folder& folder, const std::vector<std::string>& args) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  if (!freopen((folder.path + "/stdout").c_str(), "w", stdout) ||
      !freopen((folder.path + "/stderr").c_str(), "w", stderr)) {
    _exit(1);
  }
  std::vector<char*> argv = {const_cast<char*>(OPENATC_ATC)};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  execv(OPENATC_ATC, argv.data());
  _exit(1);
}

Result Finish(const Folder& folder, pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, Read(folder.path + "/stdout"), Read(folder.path + "/stderr")};
}

Result Atc(const std::vector<std::string>& args) {
  const Folder folder;
  return Finish(folder, Start(folder, args));
}

bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("help goes to stdout after the start line, with status 0 and no result line") {
  for (const std::string flag : {"--help", "-h", "--h"}) {
    const Result result = Atc({flag});
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    CHECK(result.out.find(std::string(kStart) + "usage: atc <args>") == 0);
    for (const std::string part :
         {"generate offline model example:", "generate offline model for single op example:",
          "===== Basic Functionality =====", "[General]", "[Input]", "[Output]", "[Target]",
          "===== Advanced Functionality =====", "[Feature]", "[Model Tuning]", "[Operator Tuning]", "[Debug]",
          "  --h/help              ", "  --input_shape         "}) {
      INFO(part);
      CHECK(Contains(result.out, part));
    }
    CHECK_FALSE(Contains(result.out, "auto_tune_mode"));
    CHECK_FALSE(Contains(result.out, "ATC run"));
  }
}

TEST_CASE("a line that cannot be read: the reason on stderr, an empty block and no dots on stdout") {
  const Result result = Atc({"--bogus=1"});
  CHECK(result.status == 255);
  CHECK(result.err == "ERROR: unknown command line flag 'bogus'\n");
  CHECK(result.out == std::string(kStart) + kFailed + "\n");
}

TEST_CASE("a value out of range: an error block and no dots") {
  const Result result = Atc({"--mode=9"});
  CHECK(result.status == 255);
  CHECK(result.err.empty());
  const std::regex shape(std::string(kStart) +
                         R"(ATC run failed, .*\n\[PID: \d+\] \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3} )"
                         R"(Invalid_Argument\(E10001\): .*\n        Solution: .*\n\n)");
  CHECK(std::regex_match(result.out, shape));
}

TEST_CASE("a failed check: dots, failure line, error block, empty line") {
  const Result result = Atc({"--framework=5", "--model=m.onnx", "--output=out/m"});
  CHECK(result.status == 255);
  CHECK(result.out.find(std::string(kStart) + "...\n" + kFailed + "[PID: ") == 0);
  CHECK(Contains(result.out, "(E10054): --soc_version"));
  CHECK(Contains(result.out, "quotation marks"));
  CHECK(result.out.substr(result.out.size() - 2) == "\n\n");
}

TEST_CASE("mode 1 writes an ONNX graph as JSON, and nothing when the model is none") {
  const Folder folder;
  // ModelProto: ir_version 8, graph (field 7) with the name "g" (field 2).
  const std::string model = folder.File("m.onnx", std::string("\x08\x08\x3A\x03\x12\x01g"));
  const std::string json = folder.path + "/made/m.json";
  const Result good = Atc({"--mode=1", "--om", model, "--json", json, "--framework=5"});
  CHECK(good.status == 0);
  CHECK(good.out == std::string(kStart) + "...\nATC run success, welcome to the next use.\n\n");
  CHECK(good.err.empty());  // no progress where stderr is no terminal
  CHECK(Read(json) == "{\n  \"name\": \"g\"\n}\n");
  struct stat info = {};
  REQUIRE(stat(json.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);

  std::filesystem::remove(json);
  const Result bad = Atc({"--mode=1", "--om", folder.File("t.onnx", "text"), "--json", json, "--framework=5"});
  CHECK(bad.status == 255);
  CHECK(Contains(bad.out, "(E13005): "));
  CHECK(std::filesystem::is_empty(folder.path + "/made"));
}

// x -> Add(x, x) -> Relu -> y over float [1, n, 4], of opset 13, as the onnx package writes it.
std::string SmallModel() {
  const unsigned char bytes[] = {
      0x08, 0x07, 0x3a, 0x60, 0x0a, 0x13, 0x0a, 0x01, 0x78, 0x0a, 0x01, 0x78, 0x12, 0x01, 0x61, 0x1a, 0x03, 0x61,
      0x64, 0x64, 0x22, 0x03, 0x41, 0x64, 0x64, 0x0a, 0x12, 0x0a, 0x01, 0x61, 0x12, 0x01, 0x79, 0x1a, 0x04, 0x72,
      0x65, 0x6c, 0x75, 0x22, 0x04, 0x52, 0x65, 0x6c, 0x75, 0x12, 0x01, 0x67, 0x5a, 0x18, 0x0a, 0x01, 0x78, 0x12,
      0x13, 0x0a, 0x11, 0x08, 0x01, 0x12, 0x0d, 0x0a, 0x02, 0x08, 0x01, 0x0a, 0x03, 0x12, 0x01, 0x6e, 0x0a, 0x02,
      0x08, 0x04, 0x62, 0x18, 0x0a, 0x01, 0x79, 0x12, 0x13, 0x0a, 0x11, 0x08, 0x01, 0x12, 0x0d, 0x0a, 0x02, 0x08,
      0x01, 0x0a, 0x03, 0x12, 0x01, 0x6e, 0x0a, 0x02, 0x08, 0x04, 0x42, 0x04, 0x0a, 0x00, 0x10, 0x0d};
  return std::string(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

TEST_CASE("mode 0 converts; the om's name tells whether shapes are known") {
  const Folder folder;
  const std::string model = folder.File("m.onnx", SmallModel());
  const auto convert = [&](const std::string& output, const std::vector<std::string>& extra) {
    std::vector<std::string> args = {"--model",
                                     model,
                                     "--framework=5",
                                     "--soc_version=Ascend910B3",
                                     "--output",
                                     output,
                                     "--precision_mode_v2=origin"};
    args.insert(args.end(), extra.begin(), extra.end());
    return Atc(args);
  };
  const Result good = convert(folder.path + "/out/a.om", {"--input_shape=x:1,3,4"});
  CHECK(good.status == 0);
  CHECK(good.err.empty());
  INFO(good.out);
  CHECK(std::regex_match(
      good.out,
      std::regex(std::string(kStart) +
                 R"(memory \d+ B by [\w, ]+, 0\.0 % above the lower bound of \d+ B \(exact\); \d+ B without reuse\n)"
                 R"(\.\.\.\nATC run success, welcome to the next use\.\n\n)")));
  CHECK(Read(folder.path + "/out/a.om.om").substr(0, 4) == "IMOD");

  // The same from another folder gives the same bytes.
  CHECK(convert(folder.path + "/other/a.om", {"--input_shape=x:1,3,4", "--log=error"}).status == 0);
  CHECK(Read(folder.path + "/out/a.om.om") == Read(folder.path + "/other/a.om.om"));

  const Result open = convert(folder.path + "/out/b", {"--input_shape=x:1,-1,4", "--host_env_cpu=aarch64"});
  CHECK(open.status == 0);
  CHECK(std::filesystem::exists(folder.path + "/out/b_linux_aarch64.om"));

  const Result warned = convert(folder.path + "/out/c", {"--input_shape=x:1,3,4", "--sparsity=1"});
  CHECK(warned.status == 0);
  CHECK(Contains(warned.out, "welcome to the next use.\n[PID: "));
  CHECK(Contains(warned.out, "(W10001): No effect: --sparsity=1."));

  const Result shown = convert(folder.path + "/out/d", {"--input_shape=x:1,3,4", "--display_model_info=1"});
  CHECK(shown.out.find(std::string(kStart) + "memory ") == 0);
  CHECK(shown.out.find("\n============ Display Model Info start ============\n") != std::string::npos);
  CHECK(Contains(shown.out,
                 "Original Atc command line: atc --model=m.onnx --framework=5 --input_shape=x:1,3,4 "
                 "--output=d --soc_version=Ascend910B3 --precision_mode_v2=origin\n"));

  const Result unknown = convert(folder.path + "/bad/e", {"--input_shape=z:1,3,4"});
  CHECK(unknown.status == 255);
  CHECK(Contains(unknown.out, "(E10016): "));
  CHECK(Contains(convert(folder.path + "/bad/e", {"--soc_version=Ascend1"}).out, "(E20101): "));
  const Result forgotten = convert(folder.path + "/bad/e", {});
  CHECK(Contains(forgotten.out, "(E10001): "));
  CHECK(Contains(forgotten.out, "--input_shape=\"x:"));
  CHECK_FALSE(std::filesystem::exists(folder.path + "/bad"));
}

TEST_CASE("mode 1 with dump_mode=1 writes the graph with inferred shapes") {
  const Folder folder;
  const std::string json = folder.path + "/m.json";
  const Result result =
      Atc({"--mode=1", "--om", folder.File("m.onnx", SmallModel()), "--json", json, "--framework=5", "--dump_mode=1"});
  CHECK(result.status == 0);
  const auto model = nlohmann::json::parse(Read(json));
  REQUIRE(model["graph"].size() == 1);
  bool found = false;
  for (const auto& op : model["graph"][0]["op"]) {
    if (op["type"] != "Relu") continue;
    found = true;
    CHECK(op["output_desc"][0]["dtype"] == 1);  // DT_FLOAT of ge.proto
    CHECK(op["output_desc"][0]["shape"]["dim"] == nlohmann::json({1, -1, 4}));
  }
  CHECK(found);
}

TEST_CASE("modes 1 and 5 write an om and a text dump as JSON") {
  const Folder folder;
  const std::string om = folder.File("m.om", atc::WriteOm(atc::SampleModel()));
  const std::string json = folder.path + "/m.json";
  CHECK(Atc({"--mode=1", "--om", om, "--json", json}).status == 0);
  const auto model = nlohmann::json::parse(Read(json));
  CHECK(model["name"] == "sample");
  CHECK(model["graph"][0]["op"].size() > 3);

  const std::string dump = folder.File("d.txt", "name: 'd' graph { name: 'g' op { name: 'n' type: 'Relu' } }");
  CHECK(Atc({"--mode=5", "--om", dump, "--json", json}).status == 0);
  CHECK(nlohmann::json::parse(Read(json))["graph"][0]["op"][0]["type"] == "Relu");

  std::filesystem::remove(json);
  const Result bad = Atc({"--mode=1", "--om", dump, "--json", json});
  CHECK(bad.status == 255);
  CHECK(Contains(bad.out, "(E10001): --om cannot be"));
  CHECK(Contains(bad.out, "        E10041: "));
  CHECK_FALSE(std::filesystem::exists(json));
}

TEST_CASE("stages are dumped where the environment asks for them") {
  const Folder folder;
  const std::string model = folder.File("m.onnx", SmallModel());
  setenv("DUMP_GE_GRAPH", "2", 1);
  setenv("DUMP_GRAPH_LEVEL", "4", 1);
  setenv("DUMP_GRAPH_PATH", folder.path.c_str(), 1);
  const Result result = Atc({"--model", model, "--framework=5", "--soc_version=Ascend910B3", "--output",
                             folder.path + "/m", "--precision_mode_v2=origin", "--input_shape=x:1,3,4"});
  for (const char* name : {"DUMP_GE_GRAPH", "DUMP_GRAPH_LEVEL", "DUMP_GRAPH_PATH"}) unsetenv(name);
  CHECK(result.status == 0);
  std::vector<std::string> dumps;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("ge_")) dumps.push_back(name);
  }
  CHECK_THAT(dumps, Catch::UnorderedEquals(std::vector<std::string>{"ge_onnx_00000000_graph_0_PreRunBegin.pbtxt",
                                                                    "ge_proto_00000000_graph_0_PreRunBegin.txt"}));
}

TEST_CASE("mode 6 prints what an om says of itself, in atc's form") {
  const Folder folder;
  atc::OmModel model = atc::SampleModel();
  model.memory_size = 4096;
  model.zero_copy_memory_size = 512;
  model.attrs.Set("atc_cmdline", "atc --model=m.onnx");
  model.attrs.Set("atc_version", "1.2");
  model.attrs.Set("framework_type", "Onnx");
  model.attrs.Set("soc_version", "Ascend910B3");
  const Result result = Atc({"--mode=6", "--om", folder.File("m.om", atc::WriteOm(model))});
  CHECK(result.status == 0);
  const std::regex shape(
      std::string(kStart) +
      R"(============ Display Model Info start ============\n)"
      R"(Original Atc command line: atc --model=m.onnx\n)"
      R"(system   info: atc_version\[1.2\], soc_version\[Ascend910B3\], framework_type\[Onnx\]\.\n)"
      R"(resource info: memory_size\[4096 B\], weight_size\[\d+ B\], stream_num\[\d\], event_num\[\d\]\.\n)"
      R"(om       info: modeldef_size\[\d+ B\], weight_data_size\[\d+ B\], tbe_kernels_size\[0 B\], )"
      R"(cust_aicpu_kernel_store_size\[0 B\], task_info_size\[\d+ B\], so_store_size\[0 B\]\.\n)"
      R"(============ Display Model Info end   ============\n\.\.\.\nATC run success, welcome to the next use\.\n\n)");
  INFO(result.out);
  CHECK(std::regex_match(result.out, shape));

  const Result json = Atc({"--mode=6", "--om", folder.path + "/m.om", "--json"});
  CHECK(json.status == 0);
  const auto told = nlohmann::json::parse(json.out);
  CHECK(told["atc_cmdline"] == "atc --model=m.onnx");
  CHECK(told["memory_size"] == 4096);
  CHECK(told["so_store_size"] == 0);
  CHECK(Atc({"--mode=6", "--om", folder.path + "/m.om", "--json", folder.path + "/m.json"}).status == 0);
  CHECK(nlohmann::json::parse(std::ifstream(folder.path + "/m.json")) == told);

  const Result bad = Atc({"--mode=6", "--om", folder.File("bad.om", "no om")});
  CHECK(bad.status == 255);
  CHECK(Contains(bad.out, "(E10041): "));
}

TEST_CASE("an interrupt is told, ends with 255, and leaves nothing") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder folder;
    const std::string model = folder.File("m.onnx", std::string("\x08\x08\x3A\x03\x12\x01g"));
    // The program waits for a reader of this pipe, which never comes.
    const std::string pipe = folder.path + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const pid_t pid = Start(folder, {"--mode=1", "--om", model, "--json", pipe, "--framework=5"});
    // The start line tells that the handlers are in place.
    for (int tries = 0; tries < 500 && !Contains(Read(folder.path + "/stdout"), kStart); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(pid, signal);
    const Result result = Finish(folder, pid);
    CHECK(result.status == 255);
    CHECK(Contains(result.err, "Interrupted"));
    CHECK(Contains(result.out, kFailed));
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path)) left.push_back(entry.path().filename());
    CHECK_THAT(left, Catch::UnorderedEquals(std::vector<std::string>{"m.onnx", "pipe", "stderr", "stdout"}));
  }
}

TEST_CASE("a model that is cut short while it is in use is named") {
  const Folder folder;
  const std::string model = folder.File("m.onnx", std::string("\x08\x08\x3A\x03\x12\x01g"));
  const pid_t pid = fork();
  if (pid == 0) {
    // What the program's main does, with a model of which the pages are gone.
    const int out = open((folder.path + "/stdout").c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(out, STDOUT_FILENO);
    atc::cli::InstallSignalHandlers();
    const atc::Buffer map = atc::MapFile(model);
    if (truncate(model.c_str(), 0) != 0) _exit(1);
    _exit(static_cast<int>(static_cast<const volatile std::byte*>(map.data)[0]));
  }
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 255);
  const std::string out = Read(folder.path + "/stdout");
  CHECK(Contains(out, "(E13003): The file " + model + " cannot be read: it was cut short while it was in use"));
  CHECK(Contains(out, kFailed));
}

}  // namespace
