#include "compiler/streams/engines.h"

#include "compiler/ir/error.h"
#include "test/compiler/streams/stream_graph.h"

using namespace atc;
using namespace atc::test;

namespace {

constexpr const char* kSmall = R"json({
  "engines": [{"name": "E", "independent": false, "skip": true, "attach": false, "cost": 3},
              {"name": "A", "independent": true, "skip": false, "attach": true, "cost": 1}],
  "units": {"cube": "E", "vector": "E", "aicpu": "E", "local": "E", "rts": "E", "hccl": "E", "host": "E"},
  "cv_units": {"vector": "A"}, "operators": {"Relu": "A"}})json";

}  // namespace

TEST_CASE("a table of one's own places by operator, then by unit") {
  const EngineTable table = EngineTable::Parse(kSmall, "small.json");
  CHECK(table.Find("A")->independent);
  CHECK(table.Find("E")->cost == 3);
  CHECK(table.Find("B") == nullptr);
  for (const bool cv : {false, true}) {
    StreamGraph g;
    const ValueId a = g.graph.Add("Relu", "relu", {g.data}, 1).outputs[0];
    const ValueId b = g.graph.Add("Tanh", "tanh", {a}, 1).outputs[0];
    const ValueId c = g.graph.Add("MatMulV2", "product", {b, b}, 1).outputs[0];
    g.Output({c});
    PlaceOnEngines(g.graph, table, cv);
    CHECK(g.node("relu").engine == "A");
    CHECK(g.node("tanh").engine == (cv ? "A" : "E"));
    CHECK(g.node("product").engine == "E");
  }
}

TEST_CASE("what is no table of engines is refused with E10001") {
  std::string missing = kSmall;
  missing.replace(missing.find("\"rts\""), 5, "\"rtt\"");
  std::string unknown = kSmall;
  unknown.replace(unknown.find("\"Relu\": \"A\""), 11, "\"Relu\": \"B\"");
  for (const std::string& text : {std::string("{"), std::string("{}"), missing, unknown}) {
    try {
      EngineTable::Parse(text, "mine.json");
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.diagnostic().code == "E10001");
      CHECK(error.diagnostic().args[0].second == "mine.json");
    }
  }
}

TEST_CASE("the compiled table has the engines and costs of the public one") {
  const std::pair<const char*, int> expected[] = {
      {"DNN_VM_CUSTOM", 0}, {"AIcoreEngine", 1}, {"ffts_plus", 1}, {"VectorEngine", 2}, {"DSAEngine", 2},
      {"DNN_VM_RTS", 2}, {"DNN_HCCL", 2}, {"DNN_VM_AICPU_ASCEND", 3}, {"DNN_VM_AICPU", 4}, {"DNN_VM_DVPP", 5},
      {"DNN_VM_GE_LOCAL", 9}, {"DNN_VM_HOST_CPU", 10}};
  for (const auto& [name, cost] : expected) {
    INFO(name);
    REQUIRE(EngineTable::Default().Find(name) != nullptr);
    CHECK(EngineTable::Default().Find(name)->cost == cost);
  }
}
