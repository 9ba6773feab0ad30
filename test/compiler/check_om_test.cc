#include "compiler/check_om.h"

#include <algorithm>
#include <string>

#include "compiler/ir/stream_label.h"
#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;

namespace {

// Branches of matrix products that read each other's middle values.
std::unique_ptr<Graph> Crossed(int count) {
  auto graph = std::make_unique<Graph>("crossed");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {24, 32}, FORMAT_ND));
  const auto op = [&](const char* type, const std::string& name, std::vector<ValueId> in, const std::string& label) {
    Node& node = graph->Add(type, name, std::move(in), 1);
    node.origin = graph->origins().Leaf(node.name);
    node.attrs.Set(kUserStreamLabel, label);
    return node.outputs[0];
  };
  std::vector<ValueId> at(count, x);
  uint32_t seed = 1;
  for (int round = 0; round < 3; ++round) {
    std::vector<ValueId> next;
    for (int b = 0; b < count; ++b) {
      const std::string name = std::to_string(round) + "_" + std::to_string(b);
      const ValueId w = graph->AddConst("w" + name, test::RandomFloats({32, 32}, seed++));
      const ValueId product = op("MatMulV2", "product" + name, {at[b], w}, "branch" + std::to_string(b));
      next.push_back(op("Add", "add" + name, {product, at[(b + 1) % count]}, "branch" + std::to_string(b)));
    }
    at = next;
  }
  ValueId sum = at[0];
  for (int b = 1; b < count; ++b) sum = op("Mul", "join" + std::to_string(b), {sum, at[b]}, "join");
  graph->Add("NetOutput", "Node_Output", {sum}, 0);
  return graph;
}

OmModel Finished(int branches) {
  CompileOptions options;
  options.output_path = "crossed";
  options.soc_version = "Ascend910B3";
  options.precision_mode = PrecisionMode::kKeepOrigin;
  Diagnostics diagnostics;
  const CompileResult result = Compile(Crossed(branches), options, &diagnostics);
  const std::string om = WriteOm(result.model);
  Buffer copy = Buffer::Allocate(om.size());
  std::copy(om.begin(), om.end(), reinterpret_cast<char*>(copy.data));
  return ReadOm(copy, "crossed.om");
}

bool Has(const OmVerdict& verdict, const std::string& text) {
  return std::any_of(verdict.faults.begin(), verdict.faults.end(),
                     [&](const std::string& fault) { return fault.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("compiled models are in order, on one stream and on several") {
  for (const int branches : {1, 2, 3, 5}) {
    const OmVerdict verdict = CheckOm(Finished(branches));
    CHECK(verdict.faults == std::vector<std::string>{});
    CHECK(verdict.accesses >= static_cast<size_t>(6 * branches));
    CHECK(verdict.streams == (branches == 1 ? 1 : branches + 1));
  }
}

TEST_CASE("without any one of its events a model is out of order, and the pair of tasks and the bytes are named") {
  for (const int branches : {2, 3, 4}) {
    const int64_t events = Finished(branches).event_num;
    REQUIRE(events > 0);
    for (int64_t event = 0; event < events; ++event) {
      OmModel model = Finished(branches);
      std::erase_if(model.tasks, [&](const Task& task) {
        return (task.type == TaskType::kEventRecord || task.type == TaskType::kEventWait) && task.event == event;
      });
      const OmVerdict verdict = CheckOm(model);
      INFO(branches << " branches, event " << event);
      REQUIRE_FALSE(verdict.faults.empty());
      CHECK(Has(verdict, "bytes "));
      CHECK(std::count(verdict.faults[0].begin(), verdict.faults[0].end(), '(') >= 2);  // two tasks
    }
  }
}

TEST_CASE("a wait in vain, and an event recorded twice, are named") {
  OmModel model = Finished(2);
  const auto record = std::find_if(model.tasks.begin(), model.tasks.end(),
                                   [](const Task& task) { return task.type == TaskType::kEventRecord; });
  OmModel twice = Finished(2);
  twice.tasks.push_back(*record);
  CHECK(Has(CheckOm(twice), "again"));
  model.tasks.erase(record);
  CHECK(Has(CheckOm(model), "for ever"));
}

TEST_CASE("bytes that are given to another value too early are named") {
  OmModel model = Finished(1);
  // Every value between tasks moves to the same place.
  Graph& graph = *model.graph;
  int64_t moved = -1;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (node.type() != "MatMulV2" && !node.name.starts_with("add")) continue;
    Value& value = graph.value(node.outputs[0]);
    if (moved < 0) moved = value.offset;
    value.offset = moved;
  }
  CHECK_FALSE(CheckOm(model).faults.empty());
}
