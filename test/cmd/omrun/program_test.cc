// The program from outside, on a device that gives its inputs back (echo_device/).
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cmd/omrun/tensor_file.h"
#include "folder.h"

namespace atc::omrun {
namespace {

namespace fs = std::filesystem;

struct Result {
  int status;        // -1 when it did not exit by itself
  std::string text;  // standard output and errors
  double seconds = 0;
};

// Starts omrun with those arguments, its output going to a file of the folder; returns its process.
pid_t Start(const Folder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), OMRUN_PROGRAM);
  arguments.insert(arguments.end(), {"--backend", ECHO_DEVICE});
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const std::string log = folder / "log";
  const pid_t child = fork();
  if (child != 0) return child;
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  execv(OMRUN_PROGRAM, pointers.data());
  _exit(127);
}

Result Finish(const Folder& folder, pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.Read("log"), 0};
}

Result Run(const Folder& folder, const std::vector<std::string>& arguments) {
  const auto start = std::chrono::steady_clock::now();
  Result result = Finish(folder, Start(folder, arguments));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

constexpr const char* kFixed = "IMOD\ninput x:0 0 2 3\ninput k 9\noutput y 0 2 3\noutput n 9\n";
constexpr const char* kBatchGears = "IMOD\ninput x 0 -1 2\ninput ascend_mbatch_shape_data 9 1\noutput y 0 -1 2\ngear batch 1\ngear batch 2\ngear batch 4\n";
constexpr const char* kOpen = "IMOD\ninput x 0 -1 3\noutput y 0 -1 3\n";

std::vector<std::byte> Floats(const Dims& dims, const std::vector<float>& values) { return FormatNpy(MakeFloats(dims, values)); }

}  // namespace

TEST_CASE("without flags: signature, one run on random data, summary") {
  const Folder folder;
  folder.Write("m.om", kFixed);
  const Result result = Run(folder, {folder / "m.om"});
  INFO(result.text);
  CHECK(result.status == 0);
  for (const char* part : {"input 0  x:0  float32 [2, 3] ND, 24 bytes", "output 1  n  int64 [] ND, 8 bytes", "Echo1",
                           "random data, seed 0", "result 0  y  float32 [2, 3]: min ", "first run "}) {
    CHECK_THAT(result.text, Catch::Contains(part));
  }
  CHECK_THAT(result.text, !Catch::Contains("simulated"));
  CHECK(folder.Count() == 2);  // the model and the log
}

TEST_CASE("outputs are written in every format and compare with themselves") {
  const Folder folder;
  folder.Write("m.om", kFixed);
  folder.Write("x.npy", Floats({2, 3}, {1, 2, 3, 4, 5, 6.5}));
  const std::vector<std::string> inputs = {folder / "m.om", "--input", "x:0=" + folder / "x.npy", "--seed", "3"};
  for (const char* format : {"NPY", "BIN", "TXT", "JSON"}) {
    INFO(format);
    std::vector<std::string> write = inputs, compare = inputs;
    const std::string out = folder / std::string(format) + "/deep";
    for (const std::string& word : {std::string("--output"), out, std::string("--outfmt"), std::string(format)}) {
      write.push_back(word);
    }
    CHECK(Run(folder, write).status == 0);
    for (const std::string& word : {std::string("--compare"), out, std::string("--rtol"), std::string("0")}) {
      compare.push_back(word);
    }
    const Result same = Run(folder, compare);
    INFO(same.text);
    CHECK(same.status == 0);
    CHECK_THAT(same.text, Catch::Contains("compare 1  n: max abs 0, max rel 0, cosine 1.000000000: ok"));
    folder.Write("other.npy", Floats({2, 3}, {1, 2, 3, 4, 5, 7}));
    compare[2] = "x:0=" + folder / "other.npy";
    const Result different = Run(folder, compare);
    CHECK(different.status == 2);
    CHECK_THAT(different.text, Catch::Contains("max abs 0.5") && Catch::Contains("MISMATCH"));
  }
  CHECK(folder.Read("NPY/deep/out_0.npy") == folder.Read("x.npy"));
  CHECK(folder.Read("TXT/deep/out_0.txt") == "1 2 3\n4 5 6.5\n");
  const auto json = nlohmann::json::parse(folder.Read("BIN/deep/outputs.json"));
  CHECK(json == nlohmann::json::parse(R"([{"name": "y", "shape": [2, 3], "dtype": "float32", "file": "out_0.bin"},
                                          {"name": "n", "shape": [], "dtype": "int64", "file": "out_1.bin"}])"));
}

TEST_CASE("the report has its figures, null where the device has none") {
  const Folder folder;
  folder.Write("m.om", std::string(kFixed) + "sleep 2\n");
  CHECK(Run(folder, {folder / "m.om", "--loop", "5", "--warmup", "2", "--json", folder / "r.json"}).status == 0);
  const auto json = nlohmann::json::parse(folder.Read("r.json"));
  for (const char* key : {"load_ms", "first_run_ms", "peak_anon_mb"}) CHECK(json.at(key).get<double>() > 0);
  const auto& latency = json.at("latency_ms");
  CHECK(latency.at("min").get<double>() >= 2);
  CHECK(latency.at("min") <= latency.at("median"));
  CHECK(latency.at("median") <= latency.at("p90"));
  CHECK(latency.at("p90") <= latency.at("p99"));
  for (const char* key : {"arena_bytes", "weight_bytes", "prepared_weight_bytes", "streams", "events"}) {
    CHECK(json.at(key).is_null());
  }
}

TEST_CASE("an open shape is that of the file, and the device's output is taken over at every run") {
  const Folder folder;
  folder.Write("m.om", kOpen);
  folder.Write("x.npy", Floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Result result =
      Run(folder, {folder / "m.om", "--input", folder / "x.npy", "--output", folder / "o", "--loop", "3"});
  INFO(result.text);
  CHECK(result.status == 0);
  CHECK(folder.Read("o/out_0.npy") == folder.Read("x.npy"));
  CHECK_THAT(Run(folder, {folder / "m.om"}).text, Catch::Contains("feed 0   x  float32 [1, 3]"));
  CHECK_THAT(Run(folder, {folder / "m.om", "--shape", "x=0,3"}).text, Catch::Contains("[0, 3], empty"));
}

TEST_CASE("faults end with status 1, one message and no file") {
  const Folder folder;
  folder.Write("m.om", kFixed);
  folder.Write("empty.om", "");
  folder.Write("text.om", "hello");
  folder.Write("load.om", "IMOD\nfail LOAD 145002 the file is of a later version\n");
  folder.Write("run.om", std::string(kFixed) + "fail RUN 507015 the core stopped\n");
  folder.Write("gears.om", kBatchGears);
  folder.Write("x.npy", Floats({3, 3}, std::vector<float>(9)));
  folder.Write("ours.om", "IMOD" + std::string(2000000, '.') + "openatc_format");
  const size_t before = folder.Count();
  const std::string out = folder / "out";
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const Case cases[] = {
      {{folder / "none.om"}, "No such file"},
      {{folder / "empty.om"}, "is empty"},
      {{folder / "text.om"}, "is no om"},
      {{folder / ""}, "is a folder"},
      {{folder / "load.om", "--output", out}, "the file is of a later version (code 145002)"},
      {{folder / "run.om", "--output", out}, "the core stopped (code 507015)"},
      {{folder / "gears.om"}, "has several gears, of which --gear_batch chooses one: 1; 2; 4"},
      {{folder / "gears.om", "--dymBatch", "3"}, "3 is no gear of this model: it has 1; 2; 4"},
      {{folder / "gears.om", "--dymHW", "3,3"}, "--gear_batch chooses one"},
      {{folder / "ours.om"}, "no programs for a real NPU"},
      {{folder / "m.om", "--output", out, "--input", "x:0=" + folder / "x.npy", "--seed", "1"},
       "input 'x:0' does not fit: expected float32 [2, 3], 24 bytes, found float32 [3, 3], 36 bytes"},
      {{folder / "m.om", "--output", out, "--compare", folder / "none"}, "is not a folder"},
      {{folder / "m.om", "--output", out, "--compare", folder / ""}, "has no out_0"},
      {{folder / "m.om", "--output", folder / "m.om"}, "not a folder"},
      {{folder / "m.om", "--output", out, "--json", folder / "none/r.json"}, "r.json"},
      {{folder / "m.om", "--cores", "2"}, "--cores"},
      {{folder / "m.om", "--streams", "2"}, "need streams and events"},
      {{folder / "m.om", "--output", out, "--input", "x:0=" + folder / "z*.npy"}, "no file matches the pattern"},
      {{folder / "m.om", "--output", out, "--input", "x:0=1,2,3", "--fill", "zero"}, "3 numbers where [2, 3] takes 6"},
      {{folder / "m.om", "--output", out, "--manifest", folder / "none.csv"}, "cannot open"},
      {{folder / "m.om", "--output_dirname", "a"}, "needs --output"},
      {{folder / "m.om", "--rtol", "float17=1", "--compare", out}, "'float17' is no element type"},
      {{folder / "m.om", "--metric", "l3"}, "'l3' is not l0, l1, l2, linf or cos"},
      {{folder / "m.om", "--gear_batch", "2"}, "this model has none"},
      {{folder / "m.om", "--device", "0,x"}, "'x' is not a device's number"},
      {{folder / "m.om", "--output_size", "1"}, "too small for output 'y', which takes 24 bytes"},
      {{folder / "m.om", "--outfmt", "PNG"}, "'PNG' is not NPY, BIN, TXT or JSON"},
      {{folder / "m.om", "--looop", "3"}, "there is no flag '--looop'"},
      {{folder / "m.om", "--looop=3"}, "there is no flag '--looop'"},
      {{folder / "m.om", "other.om"}, "'other.om' is one argument too many: the model is '"},
      {{folder / "m.om", "--input", "x:0=" + folder / "x.npy", "--seed", "1", "--batch", "2"}, "(--batch 2 joins so many samples into the model's [2, 3])"},
      {{folder / "m.om", "--outfmt", "1"}, "'1' is not NPY, BIN, TXT or JSON"},
  };
  for (const Case& c : cases) {
    const Result result = Run(folder, c.arguments);
    INFO(result.text);
    CHECK(result.status == 1);
    CHECK_THAT(result.text, Catch::Contains(c.message) && Catch::Contains("omrun: error: "));
    CHECK(folder.Count() == before + 1);  // the log
  }
}

TEST_CASE("Ctrl-C says so, exits with 1 and leaves nothing") {
  const Folder folder;
  folder.Write("m.om", std::string(kFixed) + "sleep 30000\n");
  const pid_t child = Start(folder, {folder / "m.om", "--output", folder / "out"});
  // Its temporary file shows that the run has begun.
  for (int i = 0; i < 1000 && !fs::exists(folder / "out"); ++i) usleep(10000);
  kill(child, SIGINT);
  const Result result = Finish(folder, child);
  INFO(result.text);
  CHECK(result.status == 1);
  CHECK_THAT(result.text, Catch::Contains("omrun: interrupted"));
  CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("gears are chosen by the flags of all runners, or by the data") {
  const Folder folder;
  folder.Write("batch.om", kBatchGears);
  folder.Write("hw.om", "IMOD\ninput x 0 1 -1 -1\ninput ascend_mbatch_shape_data 9 2\noutput y 0 1 -1 -1\ngear hw 2 3\ngear hw 4 4\n");
  folder.Write("dims.om", "IMOD\ninput x 0 -1 2\ninput ascend_mbatch_shape_data 9 2\noutput y 0 -1 2\ngear dims 1 2\ngear dims 3 2\n");
  folder.Write("x.npy", Floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  struct Case {
    std::vector<std::string> arguments;
    const char* shape;
  };
  const Case cases[] = {{{folder / "batch.om", "--dymBatch", "2"}, "result 0  y  float32 [2, 2]"},
                        {{folder / "batch.om", "--gear_batch=4"}, "result 0  y  float32 [4, 2]"},
                        {{folder / "hw.om", "--dymHW", "2,3"}, "result 0  y  float32 [1, 2, 3]"},
                        {{folder / "dims.om", "--dymDims", "x:3,2"}, "result 0  y  float32 [3, 2]"},
                        {{folder / "dims.om", "--auto_set_dymdims_mode", "1", "--input", folder / "x.npy"}, "[3, 2]: min 1, max 6"}};
  for (const Case& c : cases) {
    const Result result = Run(folder, c.arguments);
    INFO(result.text);
    CHECK(result.status == 0);
    CHECK_THAT(result.text, Catch::Contains(c.shape));
  }
}

TEST_CASE("many samples, in batches, by threads: outputs are those of one after the other") {
  const Folder folder;
  folder.Write("m.om", "IMOD\ninput x 0 2 2\noutput y 0 2 2\n");
  for (int i = 0; i < 5; ++i) {
    folder.Write("in/s" + std::to_string(i) + ".npy", Floats({1, 2}, {float(i), float(-i)}));
  }
  const std::vector<std::vector<std::string>> ways = {{}, {"--threads", "3", "--loop", "4", "--check_runs", "--transfers"}};
  for (const auto& more : ways) {
    std::vector<std::string> arguments = {folder / "m.om", "-i", folder / "in", "-o", folder / "out", "--output_dirname", "a", "--batchsize", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = Run(folder, arguments);
    INFO(result.text);
    CHECK(result.status == 0);
    CHECK_THAT(result.text, Catch::Contains("samples  5 in 3 runs"));
    CHECK(folder.Count("out/a") == 6);
    for (int i = 0; i < 5; ++i) CHECK(folder.Read("out/a/s" + std::to_string(i) + "_0.npy") == folder.Read("in/s" + std::to_string(i) + ".npy"));
  }
  const Result same = Run(folder, {folder / "m.om", "--input", folder / "in/*.npy", "--batch", "2", "--compare", folder / "out/a", "--json", folder / "r.json"});
  INFO(same.text);
  CHECK(same.status == 0);
  CHECK_THAT(same.text, Catch::Contains("5 of 5 samples match"));
  folder.Write("in/s3.npy", Floats({1, 2}, {3, 7}));
  const Result other = Run(folder, {folder / "m.om", "--input", folder / "in/*.npy", "--batch", "2", "--compare", folder / "out/a", "--json", folder / "r.json"});
  CHECK(other.status == 2);
  CHECK_THAT(other.text, Catch::Contains("compare 0  s3  y: max abs 10") && Catch::Contains("worst at [0, 1]: 7 where the reference has -3") && Catch::Contains("4 of 5 samples match"));
  const auto json = nlohmann::json::parse(folder.Read("r.json"));
  CHECK(json["samples"] == 5);
  CHECK(json["compare"][3]["sample"] == "s3");
  CHECK(json["compare"][3]["outputs"][0]["worst"]["index"] == nlohmann::json({0, 1}));
}

TEST_CASE("a manifest brings inputs and what to compare with") {
  const Folder folder;
  folder.Write("m.om", kFixed);
  folder.Write("x.npy", Floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  folder.Write("m.json", R"([{"name": "good", "inputs": {"x:0": "x.npy", "k": 7}, "outputs": {"y": "x.npy"}},
                             {"name": "bad", "inputs": {"x:0": 1, "k": 7}, "outputs": {"y": "x.npy"}}])");
  const Result result = Run(folder, {folder / "m.om", "--manifest", folder / "m.json", "--output", folder / "out"});
  INFO(result.text);
  CHECK(result.status == 2);
  CHECK_THAT(result.text, Catch::Contains("compare 0  bad  y: max abs 5") && Catch::Contains("1 of 2 samples match"));
  CHECK(folder.Read("out/good_0.npy") == folder.Read("x.npy"));
  CHECK(fs::exists(fs::path(folder / "out/bad_1.npy")));
}

TEST_CASE("references may be files of single outputs") {
  const Folder folder;
  folder.Write("m.om", kFixed);
  folder.Write("x.npy", Floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Result result = Run(folder, {folder / "m.om", "--input", "x:0=1,2,3,4,5,6", "--input", "k=1", "--loadRefOutputs", "y:" + folder / "x.npy"});
  INFO(result.text);
  CHECK(result.status == 0);
  CHECK_THAT(result.text, Catch::Contains("compare 0  y: max abs 0, max rel 0, cosine 1.000000000: ok") && !Catch::Contains("compare 1"));
  CHECK(Run(folder, {folder / "m.om", "--fill", "zero", "--compare", "y=" + folder / "x.npy"}).status == 2);
}

TEST_CASE("flags of other runners mean what they mean there") {
  const Folder folder;
  folder.Write("m.om", kOpen);
  const Result result = Run(folder, {"--model", folder / "m.om", "--dymShape", "x:2,3", "--outputSize", "100", "--pure_data_type", "zero", "--loop", "3",
                                     "--warmup_count", "1", "--output", folder / "out", "--outfmt", "BIN", "--debug", "1", "--display_all_summary",
                                     "--exportTimes=" + folder / "times.json", "--iterations", "4", "--warmUp", "1", "--avgRuns=2"});
  INFO(result.text);
  CHECK(result.status == 1);  // --loop twice
  const Result once = Run(folder, {"--model", folder / "m.om", "--dymShape", "x:2,3", "--outputSize", "100", "--pure_data_type", "zero",
                                   "--warmup_count", "1", "--output", folder / "out", "--outfmt", "BIN", "--debug", "1", "--display_all_summary",
                                   "--exportTimes=" + folder / "times.json", "--iterations", "4", "--warmUp", "1", "--avgRuns=2"});
  INFO(once.text);
  CHECK(once.status == 0);
  CHECK(folder.Read("out/out_0.bin") == std::string(24, '\0'));
  CHECK_THAT(once.text, Catch::Contains("[INFO] NPU_compute_time (ms): min = ") && Catch::Contains("average  of runs 3 to 4") &&
                            Catch::Contains("from zeros"));
  const auto times = nlohmann::json::parse(folder.Read("times.json"));
  CHECK(times.size() == 4);
  CHECK(times[3]["endComputeMs"].get<double>() >= times[3]["startComputeMs"].get<double>());
  const Result ranges = Run(folder, {folder / "m.om", "--dymShape_range", "x:1~3,3", "--output", folder / "ranges"});
  CHECK(ranges.status == 0);
  CHECK(folder.Count("ranges") == 4);
  CHECK_THAT(ranges.text, Catch::Contains("samples  3 in 3 runs"));
}

TEST_CASE("summaries bear the names that scripts around other runners look for, when it is called as they are") {
  const Folder folder;
  folder.Write("m.om", kFixed);
  const char* lines[] = {"[INFO] NPU_compute_time (ms): min = ", "/NPU_compute_time.mean(", "\nInference average time : ",
                         "\nInference average time without first time: "};
  for (const std::vector<std::string>& call : std::vector<std::vector<std::string>>{
           {"--model", folder / "m.om"}, {"-m", folder / "m.om"}, {"--om-model", folder / "m.om"}, {folder / "m.om", "--warmup-count", "1"}}) {
    const Result result = Run(folder, call);
    INFO(result.text);
    CHECK(result.status == 0);
    for (const char* line : lines) CHECK_THAT(result.text, Catch::Contains(line));
    CHECK_THAT(result.text, !Catch::Contains("H2D_latency"));
    // The first line with the name is the one with the figures.
    const size_t first = result.text.find("NPU_compute_time");
    CHECK(result.text.compare(first, 22, "NPU_compute_time (ms):") == 0);
  }
  CHECK_THAT(Run(folder, {folder / "m.om", "--display_all_summary"}).text, Catch::Contains("H2D_latency") && Catch::Contains("NPU_compute_time"));
  CHECK_THAT(Run(folder, {folder / "m.om", "--loop", "2", "--run_mode", "full"}).text, !Catch::Contains("NPU_compute_time"));
}

TEST_CASE("what other runners are asked for and this one lacks is said") {
  const Folder folder;
  folder.Write("m.om", kFixed);
  const Result result = Run(folder, {"--loadEngine=" + folder / "m.om", "--energy-consumption", "1", "--npu_id", "4", "--noDataTransfers", "--perf=0", "--useCudaGraph"});
  INFO(result.text);
  CHECK(result.status == 0);
  CHECK_THAT(result.text, Catch::Contains("omrun: note: --energy-consumption: no energy is measured") && Catch::Contains("note: --npu_id: ") &&
                              Catch::Contains("note: --useCudaGraph: ") && !Catch::Contains("--perf") && !Catch::Contains("copy in"));
  CHECK(Run(folder, {folder / "m.om", "--noDataTransfers=maybe"}).status == 1);
  CHECK_THAT(Run(folder, {folder / "m.om", "--loop=2", "--noDataTransfers=false"}).text, Catch::Contains("copy in"));
}

TEST_CASE("pauses, and when samples are read") {
  const Folder folder;
  folder.Write("m.om", kOpen);
  const auto took = [](const Result& result) { return result.seconds; };
  CHECK(took(Run(folder, {folder / "m.om", "--sleepTime=300"})) >= 0.3);
  CHECK(took(Run(folder, {folder / "m.om", "--loop=4", "--warmup=0", "--idleTime", "100"})) >= 0.4);
  CHECK(Run(folder, {folder / "m.om", "--idle=-1"}).status == 1);
  folder.Write("a.npy", Floats({1, 3}, {1, 2, 3}));
  folder.Write("b.npy", Floats({2, 3}, {4, 5, 6, 7, 8, 9}));
  for (const char* mode : {"array", "tensor", "files", "full"}) {
    INFO(mode);
    const Result result = Run(folder, {folder / "m.om", "-i", folder / "?.npy", "--run_mode", mode, "--loop", "3", "--check_runs", "-o", folder / mode});
    INFO(result.text);
    CHECK(result.status == 0);
    CHECK(folder.Read(std::string(mode) + "/b_0.npy") == folder.Read("b.npy"));
  }
  CHECK_THAT(Run(folder, {folder / "m.om", "--run_mode", "all"}).text, Catch::Contains("'all' is not array, tensor, files or full"));
}

TEST_CASE("a run that fails leaves what it worked on when it is asked to") {
  const Folder folder;
  folder.Write("run.om", std::string(kFixed) + "fail RUN 507015 the core stopped\n");
  folder.Write("x.npy", Floats({2, 3}, {1, 2, 3, 4, 5, 6.5}));
  const Result result = Run(folder, {folder / "run.om", "--input", "x:0=" + folder / "x.npy", "--input", "k=7", "--dumpOnError", folder / "fault", "--output", folder / "out"});
  INFO(result.text);
  CHECK(result.status == 1);
  CHECK_THAT(result.text, Catch::Contains("the core stopped (code 507015)") && Catch::Contains("(--dump_on_error)"));
  CHECK(folder.Read("fault/input_0.npy") == folder.Read("x.npy"));
  const auto json = nlohmann::json::parse(folder.Read("fault/error.json"));
  CHECK(json["message"].get<std::string>().find("507015") != std::string::npos);
  CHECK(json["inputs"][1]["name"] == "k");
  CHECK(json["fails_again"].is_null());
  CHECK_FALSE(fs::exists(folder / "out"));
}

}  // namespace atc::omrun
