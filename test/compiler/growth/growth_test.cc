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

constexpr int kSmall = 4000;
constexpr int kLarge = 16000;
// From 1,000 to 1,000,000 nodes it is to be 1.15 (test/bench/scale.py). Between small sizes near to each other logarithms
// and budgets that fill up weigh more; a square would show all the same.
constexpr double kMostExponent = 1.5;

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

void CheckStreamsAndEvents(std::string_view mode) {
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    const Counts small = Count(family, mode, kSmall, false);
    const Counts large = Count(family, mode, kLarge, false);
    INFO(family.name << " " << mode << ": streams " << small.streams << " to " << large.streams << " steps, events "
                     << small.events << " to " << large.events);
    CHECK(small.streams > kSmall);  // they are counted
    CHECK(small.events > kSmall);
    CHECK(Exponent(small.streams, large.streams, kLarge / kSmall) <= kMostExponent);
    CHECK(Exponent(small.events, large.events, kLarge / kSmall) <= kMostExponent);
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

TEST_CASE("steps of streams and events grow nearly as the graph does") { CheckStreamsAndEvents(""); }

TEST_CASE("steps of streams and events grow nearly as the graph does, spread over 64 streams") {
  CheckStreamsAndEvents("LoadBalance:64");
}

TEST_CASE("steps of the memory plan grow nearly as the graph does, for 300 streams by label") {
  CheckMemory("labelled", "");
}

TEST_CASE("steps of the memory plan grow nearly as the graph does, where nothing is ever over") {
  CheckMemory("random far", "");
}
