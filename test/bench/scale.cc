// How streams, memory and events grow with the graph.
//
// usage: bench_scale FAMILY NODES MODE [SEED]
//
// Prints one line of JSON: seconds of each step, peak memory, and what came out. MODE is that of
// --multi_stream_parallel_mode, "none", or "single".
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

#include "compiler/check_om.h"
#include "compiler/ir/parallel_mode.h"
#include "compiler/plan/check_order.h"
#include "compiler/plan/check_overlap.h"
#include "compiler/plan/memory.h"
#include "compiler/streams/events.h"
#include "compiler/streams/logical_streams.h"
#include "compiler/tasks.h"
#include "test/compiler/graph_families.h"

using namespace atc;

namespace {

// Of the processor, so that other work on the machine counts little.
double Seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Bytes; 0 where the system does not tell.
long PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::atol(line.c_str() + 6) * 1024;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const test::GraphFamily* family = nullptr;
  for (const test::GraphFamily& known : test::kGraphFamilies) {
    if (argc > 3 && std::strcmp(argv[1], known.name) == 0) family = &known;
  }
  StreamOptions options;
  if (family != nullptr) {
    const std::string mode = argv[3];
    options.single_stream = mode == "single";
    const auto parsed = ParseParallelMode(mode == "single" || mode == "none" ? "" : mode);
    if (!parsed) family = nullptr;
    if (parsed) options.parallel_mode = *parsed;
  }
  if (family == nullptr) {
    std::fprintf(stderr, "usage: bench_scale FAMILY NODES MODE [SEED]\nfamilies:");
    for (const test::GraphFamily& known : test::kGraphFamilies) std::fprintf(stderr, " '%s'", known.name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  const auto graph =
      family->make(argc > 4 ? static_cast<uint32_t>(std::atoi(argv[4])) : 1, std::atoi(argv[2]), test::Nodes::kTasks);
  const long built = PeakMemory();
  const double begin = Seconds();
  if (options.parallel_mode.kind == ParallelMode::kCv) {
    for (NodeId id = 0; id < graph->node_capacity(); ++id) graph->node(id).engine.clear();
  }
  PlaceOnEngines(*graph, EngineTable::Default(), options.parallel_mode.kind == ParallelMode::kCv);
  const int32_t streams = AssignLogicalStreams(*graph, options);
  const double placed = Seconds();
  const MemoryPlan plan = PlanMemory(*graph, true);
  const double planned = Seconds();
  const EventCounts events = InsertEvents(*graph);
  const double ordered = Seconds();
  const long peak = PeakMemory();
  const size_t faults = CheckOrder(*graph).size() + CheckOverlap(*graph, plan.memory_size).size();
  const double checked = Seconds();
  OmModel model;
  model.stream_num = streams;
  model.event_num = events.events;
  model.memory_size = plan.memory_size;
  model.tasks = GenerateTasks(*graph);
  model.graph = graph->Clone();
  const long held = PeakMemory();
  const double made = Seconds();
  const size_t om_faults = CheckOm(model).faults.size();
  const double judged = Seconds();
  std::printf(
      "{\"family\": \"%s\", \"mode\": \"%s\", \"nodes\": %s, \"streams\": %d, \"streams_s\": %.4f, \"memory_s\": %.4f, "
      "\"events_s\": %.4f, \"check_s\": %.4f, \"check_om_s\": %.4f, \"check_om_bytes\": %ld, \"graph_bytes\": %ld, \"peak_bytes\": %ld, \"memory_size\": %lld, "
      "\"lower_bound\": %lld, \"exact\": %s, \"edges\": %d, \"ge_events\": %d, \"events\": %d, \"faults\": %zu, "
      "\"strategy\": \"%s\"}\n",
      family->name, argv[3], argv[2], streams, placed - begin, planned - placed, ordered - planned, checked - ordered,
      judged - made, PeakMemory() - held, built, peak, static_cast<long long>(plan.memory_size), static_cast<long long>(plan.lower_bound),
      plan.lower_bound_exact ? "true" : "false", events.edges, events.ge, events.events, faults + om_faults, plan.strategy.c_str());
  return faults + om_faults == 0 ? 0 : 1;
}
