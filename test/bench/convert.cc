// Where the time of a conversion goes, from the file to the om and back.
//
// usage: bench_convert MODEL.onnx MODE
//
// Prints one line of JSON: seconds of each stage that takes any, of writing and of reading the om. MODE is that of
// --multi_stream_parallel_mode, "none", or "single".
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "compiler/check_om.h"
#include "compiler/ir/error.h"
#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "parsers/onnx/parser.h"

using namespace atc;

namespace {

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_convert MODEL.onnx MODE\n");
    return 2;
  }
  CompileOptions options;
  options.model_path = argv[1];
  options.soc_version = "Ascend910B3";
  const std::string mode = argv[2];
  options.single_stream = mode == "single";
  if (mode != "single" && mode != "none") {
    const auto parsed = ParseParallelMode(mode);
    if (!parsed) return 2;
    options.parallel_mode = *parsed;
  }
  Diagnostics diagnostics;
  std::map<std::string, double> took;
  double last = Seconds();
  const double begin = last;
  const auto lap = [&](std::string_view what) {
    const double now = Seconds();
    took[std::string(what)] += now - last;
    last = now;
  };
  try {
    auto graph = ParseOnnx(options.model_path, options, &diagnostics);
    lap("parse");
    CompileHooks hooks;
    hooks.after_stage = [&](std::string_view stage, const Graph&) { lap(stage); };
    CompileResult result = Compile(std::move(graph), options, &diagnostics, hooks);
    const size_t nodes = result.model.graph->num_nodes();
    auto om = std::make_shared<std::string>(WriteOm(result.model));
    lap("write");
    result = {};
    lap("free");
    const double converted = last - begin;
    const OmModel read = ReadOm(Buffer{om, reinterpret_cast<std::byte*>(om->data()), om->size()}, "om");
    lap("read");
    const size_t faults = CheckOm(read).faults.size();
    lap("check");
    std::printf(
        "{\"model\": \"%s\", \"mode\": \"%s\", \"nodes\": %zu, \"om_bytes\": %zu, \"faults\": %zu, \"convert_s\": %.4f",
        argv[1], argv[2], nodes, om->size(), faults, converted);
    for (const auto& [what, seconds] : took) {
      if (seconds >= 0.0005) std::printf(", \"%s\": %.4f", what.c_str(), seconds);
    }
    std::printf("}\n");
    return faults == 0 ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
