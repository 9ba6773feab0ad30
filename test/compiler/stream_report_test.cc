#include "compiler/stream_report.h"

#include <nlohmann/json.hpp>

#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;

namespace {

// Two chains of three matrix products that meet.
std::unique_ptr<Graph> Towers() {
  auto graph = std::make_unique<Graph>("towers");
  std::vector<ValueId> ends;
  for (uint32_t tower = 0; tower < 2; ++tower) {
    ValueId at = graph->AddData("x" + std::to_string(tower), tower, TensorDesc(DT_FLOAT, {24, 32}, FORMAT_ND));
    for (uint32_t step = 0; step < 3; ++step) {
      const std::string name = std::to_string(tower) + "_" + std::to_string(step);
      const ValueId w = graph->AddConst("w" + name, test::RandomFloats({32, 32}, 10 * tower + step));
      at = graph->Add("MatMulV2", "product" + name, {at, w}, 1).outputs[0];
    }
    ends.push_back(at);
  }
  graph->Add("NetOutput", "Node_Output", {graph->Add("Mul", "join", ends, 1).outputs[0]}, 0);
  return graph;
}

OmModel Converted() {
  CompileOptions options;
  options.output_path = "towers";
  options.soc_version = "Ascend910B3";
  options.precision_mode = PrecisionMode::kKeepOrigin;
  options.parallel_mode = *ParseParallelMode("LoadBalance:2");
  Diagnostics diagnostics;
  return std::move(Compile(Towers(), options, &diagnostics).model);
}

OmModel ReadBack(const OmModel& model) {
  const std::string om = WriteOm(model);
  Buffer copy = Buffer::Allocate(om.size());
  std::copy(om.begin(), om.end(), reinterpret_cast<char*>(copy.data));
  return ReadOm(copy, "towers.om");
}

}  // namespace

TEST_CASE("a report names each stream's nodes with their rule, its waits, and the events by rule") {
  const StreamReport report = MakeStreamReport(Converted(), {});
  REQUIRE(report.streams.size() == 2);
  size_t nodes = 0;
  for (const ReportedStream& stream : report.streams) {
    for (const ReportedNode& node : stream.nodes) {
      ++nodes;
      CHECK(node.rule == "MiniDAGStreamPass: LoadBalance:2");
      CHECK_FALSE(node.measured);
      CHECK(node.predicted_us > 0);
    }
  }
  // The join is fused into one of the last products.
  CHECK(nodes == 6);
  CHECK(report.kernels == 6);
  // One tower waits for nothing; the join waits for the other tower.
  REQUIRE(report.streams[0].waits.size() + report.streams[1].waits.size() == 1);
  const ReportedStream& joins = report.streams[report.streams[0].waits.empty() ? 1 : 0];
  CHECK(joins.waits[0].before == joins.nodes.back().name);
  CHECK(joins.waits[0].on_stream != joins.id);
  CHECK(joins.waits[0].for_node.starts_with("product"));
  CHECK(report.events.edges == 1);
  CHECK(report.events.ge == 1);
  CHECK(report.events.events == 1);
  CHECK(report.inserted == 1);
  CHECK(report.critical_path.size() == 4);
  CHECK(report.critical_path.back().name == joins.nodes.back().name);
}

TEST_CASE("what-if covers 1 to 8 streams: one is the sum of all tasks and needs no event") {
  const StreamReport report = MakeStreamReport(Converted(), {});
  REQUIRE(report.what_if.size() == 8);
  double load = 0;
  for (const ReportedStream& stream : report.streams) load += stream.predicted_load_us;
  CHECK(report.what_if[0].streams == 1);
  CHECK(report.what_if[0].events == 0);
  CHECK(report.what_if[0].predicted_makespan_us == Approx(load));
  CHECK(report.what_if[1].mode == "LoadBalance:2");
  CHECK(report.what_if[1].events == 1);
  CHECK(report.what_if[1].predicted_makespan_us == Approx(report.predicted_makespan_us));
  for (const WhatIf& what : report.what_if) {
    CHECK(what.streams <= what.streams_wanted);
    CHECK(what.memory_bytes > 0);
  }
  const StreamReport main = MakeStreamReport(Converted(), *ParseParallelMode("MainStream:2"));
  CHECK(main.what_if[7].mode == "MainStream:8");
}

TEST_CASE("a finished om gives the report of its conversion") {
  const OmModel model = Converted();
  const StreamReport before = MakeStreamReport(model, {});
  const StreamReport after = MakeStreamReport(ReadBack(model), {});
  REQUIRE(after.streams.size() == before.streams.size());
  CHECK(after.predicted_makespan_us == Approx(before.predicted_makespan_us));
  CHECK(after.events.edges == before.events.edges);
  for (size_t i = 0; i < 8; ++i) CHECK(after.what_if[i].events == before.what_if[i].events);
  CHECK(after.streams[0].nodes[0].rule == "MiniDAGStreamPass: LoadBalance:2");
}

TEST_CASE("text and JSON say that figures are predictions") {
  const StreamReport report = MakeStreamReport(Converted(), {});
  CHECK(report.Text().find("All times are predictions, not measurements") != std::string::npos);
  CHECK(report.Text().find("what if (predictions)") != std::string::npos);
  const auto json = nlohmann::json::parse(report.Json());
  CHECK(json["streams"].size() == 2);
  CHECK(json["what_if"].size() == 8);
  CHECK(json["events"]["plain"] == 1);
  CHECK(json["note"].get<std::string>().find("predictions") != std::string::npos);
  CHECK(json["streams"][0]["nodes"][0]["cost"] == "estimate");
}
