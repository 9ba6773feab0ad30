#include <chrono>

#include "compiler/streams/events.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

// Blocks of seven branches that meet, every other one on another engine; `nodes` in all.
void Blocks(StreamGraph& g, int nodes) {
  ValueId at = g.data;
  for (int block = 0; block < nodes / 8; ++block) {
    std::vector<ValueId> ends;
    for (int b = 0; b < 7; ++b) ends.push_back(g.Op("", {at}, block % 2 == 0 ? kCore : b % 2 == 0 ? kCpu : kVector));
    at = g.Op("", ends, kCore);
  }
  g.Output({at});
}

}  // namespace

TEST_CASE("streams and events of 100000 nodes come in seconds") {
  for (const char* mode : {"", "LoadBalance:8"}) {
    StreamGraph g;
    Blocks(g, 100000);
    g.options.parallel_mode = *ParseParallelMode(mode);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(g.Assign().size() == 100000);
    const EventCounts counts = InsertEvents(g.graph);
    CHECK(counts.events <= counts.ge);
    CHECK(counts.ge <= counts.edges);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    INFO(mode << ": " << took.count() << " s");
    // Quadratic behaviour would take minutes; the limit leaves room for a busy machine.
    CHECK(took.count() < 30);
  }
}
