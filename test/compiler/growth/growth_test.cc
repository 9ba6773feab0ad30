// How the steps of streams, memory and events grow with the graph. A step is a basic block of their code that is run.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/ir/parallel_mode.h"
#include "compiler/plan/memory.h"
#include "compiler/streams/events.h"
#include "compiler/streams/logical_streams.h"
#include "test/compiler/graph_families.h"

using namespace atc;

namespace {

uint64_t steps = 0;

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() { ++steps; }

namespace {

// What is demanded of the whole way from 1,000 to 1,000,000 nodes (test/bench/scale.py) holds between any two sizes of it.
constexpr double kMostExponent = 1.15;

struct Counts {
  double streams = 0, memory = 0, events = 0;  // steps
};

Counts Count(const test::GraphFamily& family, std::string_view mode, int nodes, bool with_memory) {
  const auto graph = family.make(1, nodes, test::Nodes::kTasks);
  StreamOptions options;
  options.parallel_mode = *ParseParallelMode(std::string(mode));
  PlaceOnEngines(*graph, EngineTable::Default(), false);
  const auto measure = [](auto&& stage) {
    steps = 0;
    stage();
    return static_cast<double>(steps);
  };
  Counts counts;
  counts.streams = measure([&] { AssignLogicalStreams(*graph, options); });
  if (with_memory) counts.memory = measure([&] { PlanMemory(*graph, true); });
  counts.events = measure([&] { InsertEvents(*graph); });
  return counts;
}

double Exponent(double small, double large, double sizes) { return std::log(large / small) / std::log(sizes); }

void CheckStreamsAndEvents(std::string_view mode, int from, int to) {
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    const Counts small = Count(family, mode, from, false);
    const Counts large = Count(family, mode, to, false);
    INFO(family.name << " " << mode << ": streams " << small.streams << " to " << large.streams << " steps, events "
                     << small.events << " to " << large.events);
    CHECK(small.streams > from);  // they are counted
    CHECK(small.events > from);
    CHECK(Exponent(small.streams, large.streams, to / from) <= kMostExponent);
    CHECK(Exponent(small.events, large.events, to / from) <= kMostExponent);
  }
}

// Above the size to which the bound is exact.
void CheckMemory(std::string_view name, std::string_view mode) {
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    if (family.name != name) continue;
    const double small = Count(family, mode, 25000, true).memory;
    const double large = Count(family, mode, 75000, true).memory;
    INFO(name << " " << mode << ": memory " << small << " to " << large << " steps");
    CHECK(small > 25000);
    CHECK(Exponent(small, large, 3) <= kMostExponent);
  }
}

}  // namespace

TEST_CASE("steps of streams and events grow nearly as the graph does") { CheckStreamsAndEvents("", 4000, 16000); }

TEST_CASE("steps of streams and events grow nearly as the graph does, spread over 64 streams") {
  // Smaller graphs leave some of the streams unused.
  CheckStreamsAndEvents("LoadBalance:64", 10000, 40000);
}

TEST_CASE("steps of the memory plan grow nearly as the graph does, for 300 streams by label") {
  CheckMemory("labelled", "");
}

TEST_CASE("steps of the memory plan grow nearly as the graph does, where nothing is ever over") {
  CheckMemory("random far", "");
}
