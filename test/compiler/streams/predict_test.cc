#include "compiler/streams/predict.h"

#include "compiler/streams/events.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

// Streams as stated, times as measured, all on vector cores.
PredictedRun Predict(StreamGraph& g, const std::map<std::string, int32_t>& streams, const OpSummary& times, int cores) {
  for (const auto& [name, stream] : streams) g.node(name).stream = stream;
  InsertEvents(g.graph);
  return PredictRun(g.graph, times, 24, cores);
}

std::vector<std::string> Names(const StreamGraph& g, const std::vector<NodeId>& ids) {
  std::vector<std::string> names;
  for (const NodeId id : ids) names.push_back(g.graph.node(id).name);
  return names;
}

StreamGraph& Diamond(StreamGraph& g) {
  const ValueId a = g.Op("a", {g.data}, kCore);
  g.Output({g.Op("d", {g.Op("b", {a}, kCore), g.Op("c", {a}, kCore)}, kCore)});
  return g;
}

const OpSummary kTimes = {{"a", {10, false, 1, 0}}, {"b", {20, false, 1, 0}}, {"c", {30, false, 1, 0}}, {"d", {5, false, 1, 0}}};

}  // namespace

TEST_CASE("on one stream the times add up") {
  StreamGraph g;
  const PredictedRun run = Predict(Diamond(g), {{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}}, kTimes, 48);
  CHECK(run.makespan == Approx(65));
  CHECK(run.kernels == 4);
  CHECK(run.measured == 4);
  CHECK(Names(g, run.critical_path) == std::vector<std::string>{"a", "b", "c", "d"});
}

TEST_CASE("on two streams the longer branch and two waits of one microsecond count") {
  StreamGraph g;
  const PredictedRun run = Predict(Diamond(g), {{"a", 0}, {"b", 0}, {"c", 1}, {"d", 0}}, kTimes, 48);
  CHECK(run.makespan == Approx(10 + 1 + 30 + 1 + 5));
  CHECK(Names(g, run.critical_path) == std::vector<std::string>{"a", "c", "d"});
  double waited = 0;
  for (const PredictedTask& task : run.tasks) waited += task.waited;
  CHECK(waited == Approx(11 + 12));  // c from 0 to 11, d from 30 to 42
}

TEST_CASE("tasks that want more cores than there are slow each other down") {
  StreamGraph g;
  OpSummary times = kTimes;
  times["b"].blocks = times["c"].blocks = 48;
  const PredictedRun run = Predict(Diamond(g), {{"a", 0}, {"b", 0}, {"c", 1}, {"d", 0}}, times, 48);
  // b alone from 10 to 11, both at half speed until b has done its 20 at 49, then c alone: 30 - 19 = 11.
  CHECK(run.makespan == Approx(49 + 11 + 1 + 5));
}
