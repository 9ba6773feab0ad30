#include "cmd/atc/raw_ge_options.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

struct Loaded {
  FlagValues flags;
  Diagnostics warnings;
};

Loaded Load(const std::string& content, std::vector<std::string> line = {}) {
  char path[] = "/tmp/openatc_raw_XXXXXX";
  close(mkstemp(path));
  std::ofstream(path) << content;
  line.push_back(std::string("--raw_ge_options=") + path);
  Loaded loaded{ParseCommandLine(line), {}};
  try {
    ApplyRawGeOptions(&loaded.flags, &loaded.warnings);
  } catch (...) {
    std::filesystem::remove(path);
    throw;
  }
  std::filesystem::remove(path);
  return loaded;
}

std::string Fault(const std::string& content, const std::vector<std::string>& line = {}) {
  try {
    Load(content, line);
  } catch (const Error& error) {
    return error.diagnostic().code + " " + MessageText(error.diagnostic());
  }
  return "";
}

std::string Graph(const std::string& options) { return R"({"compile options":{"graph":{)" + options + "}}}"; }

TEST_CASE("options take the place of flags; graph wins over session over global, the command line over all") {
  const std::string file =
      R"({"compile options":{"global":{"ge.exec.disableReuseMemory":"1","ge.oo.level":"O1","ge.topoSortingMode":"0"},)"
      R"("session":{"ge.oo.level":"O3"},"graph":{"ge.enableSingleStream":"true"}},"execute options":{"x":7}})";
  const Loaded loaded = Load(file, {"--topo_sorting_mode=2"});
  CHECK(loaded.flags.Get("disable_reuse_memory") == "1");
  CHECK(loaded.flags.Get("oo_level") == "O3");
  CHECK(loaded.flags.Get("topo_sorting_mode") == "2");
  CHECK(loaded.flags.Get("enable_single_stream") == "true");
  CHECK(loaded.warnings.all().empty());
}

TEST_CASE("options without a flag are kept by key") {
  const Loaded loaded = Load(Graph(R"("ge.streamMaxParallelNum":"AIcoreEngine:8","ge.enableCompressWeight":"1")"));
  CHECK(loaded.flags.raw().at("ge.streamMaxParallelNum") == "AIcoreEngine:8");
  CHECK(loaded.flags.Get("enable_compress_weight") == "true");
  CHECK(Load(Graph(R"("ge.maxDumpFileNum":"3")")).warnings.all().size() == 1);
}

TEST_CASE("the modes that do not convert do not read the file") {
  CHECK(Load("{", {"--mode=6"}).flags.raw().empty());
}

TEST_CASE("what is wrong with the file or an option is told") {
  CHECK(Fault("{").find("E10032") == 0);
  CHECK(Fault("{").find("Invalid JSON format") != std::string::npos);
  CHECK(Fault("[]").find("must be an object") != std::string::npos);
  CHECK(Fault("{}").find("compile options") != std::string::npos);
  CHECK(Fault(R"({"compile options":{"node":{}}})").find("'node' is no level") != std::string::npos);
  CHECK(Fault(R"({"compile options":{},"link options":{}})").find("'link options'") != std::string::npos);
  CHECK(Fault(Graph(R"("ge.oo.level":1)")).find("is no text") != std::string::npos);
  CHECK(Fault(Graph(R"("":"1")")).find("empty key") != std::string::npos);
  CHECK(Fault(Graph(R"("ge.socVersion":"Ascend310")")).find("E10001") == 0);
  CHECK(Fault(Graph(R"("output":"x")")).find("E10001") == 0);
  CHECK(Fault(Graph(R"("ge.deterministic":"2")")).find("E10006") == 0);
  CHECK(Fault(Graph(R"("ge.nothing":"2")")).find("E10055") == 0);
  CHECK(Fault(Graph(R"("ge.nothing":"2")")).find("RawGeOptions[ge.nothing:2] in level [graph]") != std::string::npos);
  CHECK(Fault(Graph(R"("ge.streamMaxParallelNum":"x:2")"), {"--singleop=x.json"}).find("E10055") == 0);
  FlagValues missing = ParseCommandLine(std::vector<std::string>{"--raw_ge_options=nowhere.json"});
  Diagnostics warnings;
  CHECK_THROWS_WITH(ApplyRawGeOptions(&missing, &warnings), Catch::Contains("E13001"));
}

TEST_CASE("unsupported options may be skipped") {
  const Loaded loaded = Load(Graph(R"("ge.nothing":"2")"), {"--raw_ge_options_ignore_unsupported"});
  CHECK(loaded.warnings.all().size() == 1);
}

}  // namespace
}  // namespace atc::cli
