// Profiles made by hand: what each writer says of them is plain from the times.
#include "backend/profile/profile.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace atc::profile {
namespace {

TaskTime Kernel(uint32_t run, uint32_t stream, uint64_t start, uint64_t end, const char* name = "k") {
  TaskTime task;
  task.run = run;
  task.stream = stream;
  task.cores = 1;
  task.start_ns = start;
  task.end_ns = end;
  task.name = name;
  task.type = "Add";
  task.task_type = "AI_VECTOR_CORE";
  task.input_shapes = "2,3;3";
  return task;
}

TaskTime Event(TaskKind kind, uint32_t run, uint32_t stream, uint64_t start, uint64_t end, int64_t event) {
  TaskTime task = Kernel(run, stream, start, end, "e");
  task.kind = kind;
  task.event = event;
  return task;
}

void Check(const StreamTime& time, uint64_t working, uint64_t data, uint64_t cores, uint64_t host, uint64_t idle) {
  CHECK(time.working == working);
  CHECK(time.for_data == data);
  CHECK(time.for_cores == cores);
  CHECK(time.for_host == host);
  CHECK(time.idle == idle);
}

}  // namespace

TEST_CASE("a stream whose event is recorded late waits for data") {
  ModelProfile model;
  model.tasks = {Kernel(0, 0, 0, 800), Event(TaskKind::kEventWait, 0, 1, 0, 820, 7),
                 Event(TaskKind::kEventRecord, 0, 0, 800, 810, 7), Kernel(0, 1, 820, 1000)};
  const std::vector<StreamTime> times = StreamTimes(model);
  REQUIRE(times.size() == 2);
  Check(times[0], 800, 0, 0, 0, 190);
  Check(times[1], 180, 810, 0, 10, 0);
  CHECK_THAT(StreamSentences(model)[1], Catch::Contains("stream 1 mostly waits for data: it worked 18 %"));
}

TEST_CASE("a stream that could go on while others work waits for cores") {
  ModelProfile model;
  model.tasks = {Kernel(0, 0, 0, 300), Kernel(0, 0, 300, 700), Kernel(0, 1, 700, 1000)};
  const std::vector<StreamTime> times = StreamTimes(model);
  Check(times[0], 700, 0, 0, 0, 300);
  Check(times[1], 300, 0, 700, 0, 0);
  CHECK_THAT(StreamSentences(model)[1], Catch::Contains("stream 1 mostly waits for cores"));
}

TEST_CASE("on one core a wait is over as soon as it has its turn: the record tells until when data were missing") {
  ModelProfile model;
  model.tasks = {Kernel(0, 0, 0, 600), Event(TaskKind::kEventRecord, 0, 0, 600, 600, 1), Kernel(0, 0, 600, 900),
                 Event(TaskKind::kEventWait, 0, 1, 900, 900, 1), Kernel(0, 1, 900, 1000)};
  Check(StreamTimes(model)[1], 100, 600, 300, 0, 0);
}

TEST_CASE("time between runs, and gaps in which nobody works, are the host's") {
  ModelProfile model;
  model.tasks = {Kernel(0, 0, 0, 100), Kernel(1, 0, 900, 950), Kernel(1, 0, 970, 1000)};
  Check(StreamTimes(model)[0], 180, 0, 0, 820, 0);
  CHECK_THAT(StreamSentences(model)[0], Catch::Contains("stream 0 mostly waits for the host") && Catch::Contains("82 % for the host"));
}

TEST_CASE("the tables have msprof's columns, quoted, a line for each kernel") {
  Profile profile;
  profile.models.push_back({1, 4, "m", {Kernel(0, 0, 1000, 3500, "a,\"b\""), Event(TaskKind::kEventRecord, 0, 0, 3500, 3600, 0),
                                        Kernel(0, 0, 5500, 6000)}});
  const std::string csv = OpSummaryCsv(profile);
  CHECK_THAT(csv, Catch::StartsWith("Device_id,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,OP State,Task Type,"));
  CHECK_THAT(csv, Catch::Contains("\n1,4,0,0,0,\"a,\"\"b\"\"\",Add,static,AI_VECTOR_CORE,1.000,2.500,0.000,1,0,NO,\"\"\"2,3;3\"\"\","));
  CHECK_THAT(csv, Catch::Contains("\n1,4,0,0,0,k,Add,static,AI_VECTOR_CORE,5.500,0.500,2.000,1,0,NO,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
  CHECK_THAT(OpStatisticCsv(profile), Catch::EndsWith("\n1,Add,AI_VECTOR_CORE,2,3.000,0.500,1.500,2.500,100.000\n"));
}

TEST_CASE("the trace has lanes, arrows from records to waits, instants and the host above") {
  Profile profile;
  profile.models.push_back({0, 1, "", {Kernel(0, 0, 2000, 3000), Event(TaskKind::kEventRecord, 0, 0, 3000, 3100, 5),
                                       Event(TaskKind::kEventWait, 0, 1, 2000, 3200, 5)}});
  profile.calls = {{"aclmdlExecute", 1000, 4000, 0, "host"}, {"mark", 1500, 1500, 2, "msproftx"}};
  const auto events = nlohmann::json::parse(TraceJson(profile))["traceEvents"];
  size_t arrows = 0, lanes = 0, instants = 0;
  for (const auto& event : events) {
    lanes += event["name"] == "thread_name" ? 1 : 0;
    instants += event["ph"] == "i" ? 1 : 0;
    if (event["ph"] == "s") {
      ++arrows;
      CHECK(event["ts"] == 2.0);
      CHECK(event["tid"] == 0);
    }
    if (event["ph"] == "f") {
      CHECK(event["ts"] == 2.2);
      CHECK(event["tid"] == 1);
    }
    if (event["name"] == "aclmdlExecute") {
      CHECK(event["pid"] == 0);
      CHECK(event["dur"] == 3.0);
    }
  }
  CHECK(arrows == 1);
  CHECK(lanes == 4);
  CHECK(instants == 1);
}

}  // namespace atc::profile
