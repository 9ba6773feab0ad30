#include "compiler/check_om.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "compiler/ir/stream_label.h"
#include "compiler/om/reader.h"
#include "compiler/om/writer.h"
#include "compiler/pipeline.h"
#include "test/compiler/graph_families.h"
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

// A choice whose branches run two chains of products on two streams, by a label.
OmModel Choice() {
  auto graph = std::make_unique<Graph>("choice");
  const ValueId cond = graph->AddData("cond", 0, TensorDesc(DT_BOOL, Shape{}, FORMAT_ND));
  const ValueId x = graph->AddData("x", 1, TensorDesc(DT_FLOAT, {24, 32}, FORMAT_ND));
  Node& choice = graph->Add("If", "choice", {cond, x}, 1);
  for (const char* name : {"then_branch", "else_branch"}) {
    Graph& branch = graph->AddSubgraph(choice, name);
    const ValueId in = branch.AddData(std::string(name) + "_x", 0, TensorDesc(DT_FLOAT, {24, 32}, FORMAT_ND));
    branch.producer(in).attrs.Set("_parent_node_index", int64_t{1});
    const auto product = [&](const std::string& what, ValueId of, uint32_t seed) -> Node& {
      const ValueId w = branch.AddConst(name + ("_w_" + what), test::RandomFloats({32, 32}, seed));
      return branch.Add("MatMulV2", name + ("_" + what), {of, w}, 1);
    };
    const ValueId last = product("last", product("first", in, 7).outputs[0], 8).outputs[0];
    Node& side = product("side", in, 9);
    side.attrs.Set(kUserStreamLabel, name);
    Node& join = branch.Add("Add", name + std::string("_join"), {last, side.outputs[0]}, 1);
    branch.Add("NetOutput", "", {join.outputs[0]}, 0);
  }
  graph->Add("NetOutput", "Node_Output", {choice.outputs[0]}, 0);
  CompileOptions options;
  options.output_path = "choice";
  options.soc_version = "Ascend910B3";
  options.precision_mode = PrecisionMode::kKeepOrigin;
  Diagnostics diagnostics;
  // Control flow runs operator by operator, on one stream unless more are asked for.
  setenv("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM", "1", 1);
  const CompileResult result = Compile(std::move(graph), options, &diagnostics);
  unsetenv("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM");
  const std::string om = WriteOm(result.model);
  Buffer copy = Buffer::Allocate(om.size());
  std::copy(om.begin(), om.end(), reinterpret_cast<char*>(copy.data));
  return ReadOm(copy, "choice.om");
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

TEST_CASE("each event of models of every family is missed, by the pair of tasks and the bytes") {
  int removed = 0;
  for (const test::GraphFamily& family : test::kGraphFamilies) {
    for (const char* mode : {"", "LoadBalance:4", "MainStream:3"}) {
      CompileOptions options;
      options.output_path = "family";
      options.soc_version = "Ascend910B3";
      options.precision_mode = PrecisionMode::kKeepOrigin;
      options.parallel_mode = *ParseParallelMode(mode);
      Diagnostics diagnostics;
      CompileResult result = Compile(family.make(7, 400, test::Nodes::kOperators), options, &diagnostics);
      OmModel& model = result.model;
      const std::vector<Task> tasks = model.tasks;
      REQUIRE(CheckOm(model).faults == std::vector<std::string>{});
      for (int64_t event = 0; event < model.event_num; ++event, ++removed) {
        std::string sender, receiver;  // the tasks around the two
        for (size_t i = 0; i < tasks.size(); ++i) {
          const bool mine = tasks[i].event == event;
          const Node& node = model.graph->node(tasks[i].op_index);
          if (mine && tasks[i].type == TaskType::kEventRecord) sender = model.graph->node(node.control_in[0]).name;
          if (mine && tasks[i].type == TaskType::kEventWait) receiver = model.graph->node(node.control_out[0]).name;
        }
        model.tasks = tasks;
        std::erase_if(model.tasks, [&](const Task& task) {
          return (task.type == TaskType::kEventRecord || task.type == TaskType::kEventWait) && task.event == event;
        });
        const OmVerdict verdict = CheckOm(model);
        INFO(family.name << " " << mode << ", event " << event << " from " << sender << " to " << receiver);
        CHECK(std::any_of(verdict.faults.begin(), verdict.faults.end(), [&](const std::string& fault) {
          return fault.find("('" + sender + "', ") != std::string::npos &&
                 fault.find("('" + receiver + "', ") != std::string::npos && fault.find(" bytes ") != std::string::npos;
        }));
      }
    }
  }
  CHECK(removed > 100);
}

TEST_CASE("the events of nested graphs are judged like those of the main graph") {
  const OmModel whole = Choice();
  CHECK(CheckOm(whole).faults == std::vector<std::string>{});
  REQUIRE(whole.event_num == 2);
  for (int64_t event = 0; event < whole.event_num; ++event) {
    OmModel model = Choice();
    for (NodeId id = 0; id < model.graph->node_capacity(); ++id) {
      for (const Subgraph& subgraph : model.graph->node(id).subgraphs) {
        for (NodeId inner = 0; inner < subgraph.graph->node_capacity(); ++inner) {
          Node& node = subgraph.graph->node(inner);
          if (node.attrs.Get<int64_t>("event_id", -1) == event) node.stream = -1;
        }
      }
    }
    const OmVerdict verdict = CheckOm(model);
    REQUIRE_FALSE(verdict.faults.empty());
    CHECK(verdict.faults[0].starts_with("in graph '"));
    CHECK(Has(verdict, "_side"));
    CHECK(Has(verdict, "before it is written"));
  }
}

TEST_CASE("a stream that a StreamActive starts begins after it, and must be started") {
  // a, start | b, c on another stream that start starts | join, which waits for c by an event.
  OmModel model;
  model.graph = std::make_unique<Graph>("started");
  Graph& graph = *model.graph;
  model.dynamic = true;
  model.stream_num = 2;
  model.event_num = 1;
  const ValueId x = graph.AddData("x", 0, TensorDesc(DT_FLOAT, {4}, FORMAT_ND));
  const auto task = [&](TaskType type, const char* op, const char* name, std::vector<ValueId> in, uint32_t stream) -> Node& {
    Node& node = graph.Add(op, name, std::move(in), type == TaskType::kKernel ? 1 : 0);
    Task& made = model.tasks.emplace_back();
    made.type = type;
    made.id = static_cast<uint32_t>(model.tasks.size()) - 1;
    made.stream = stream;
    made.op_index = node.id;
    return node;
  };
  const ValueId a = task(TaskType::kKernel, "Tanh", "a", {x}, 0).outputs[0];
  const NodeId start = task(TaskType::kStreamActive, "StreamActive", "start", {}, 0).id;
  const ValueId b = task(TaskType::kKernel, "Tanh", "b", {a}, 1).outputs[0];
  const ValueId c = task(TaskType::kKernel, "Tanh", "c", {b}, 1).outputs[0];
  task(TaskType::kEventRecord, "Send", "send", {}, 1);
  task(TaskType::kEventWait, "Recv", "recv", {}, 0);
  task(TaskType::kKernel, "Add", "join", {a, c}, 0);
  CHECK(Has(CheckOm(model), "may read the output of task 0"));  // b does not wait for a
  graph.node(start).attrs.Set("active_stream_list", std::vector<int64_t>{1});
  CHECK(CheckOm(model).faults == std::vector<std::string>{});
  std::swap(model.tasks[0], model.tasks[1]);  // started before a is over
  CHECK(Has(CheckOm(model), "may read the output of"));
  std::swap(model.tasks[0], model.tasks[1]);
  model.tasks[1].stream = 1;  // by itself
  CHECK(Has(CheckOm(model), "nothing starts"));
}

TEST_CASE("thousands of streams with an event for every task are judged, and a missing event is found") {
  // Each task reads what the one before it made, on the next stream; a row of streams wide enough that a number for each
  // pair of event and stream would fill gigabytes.
  constexpr int kTasks = 30000;
  constexpr uint32_t kStreams = 5000;
  const auto make = [&](int lost) {
    OmModel model;
    model.graph = std::make_unique<Graph>("row");
    Graph& graph = *model.graph;
    model.dynamic = true;
    model.stream_num = kStreams;
    model.event_num = kTasks;
    ValueId at = graph.AddData("x", 0, TensorDesc(DT_FLOAT, {4}, FORMAT_ND));
    for (int i = 0; i < kTasks; ++i) {
      const auto add = [&](TaskType type, NodeId node, int event) {
        Task& task = model.tasks.emplace_back();
        task.type = type;
        task.id = static_cast<uint32_t>(model.tasks.size()) - 1;
        task.stream = static_cast<uint32_t>(i) % kStreams;
        task.event = static_cast<uint32_t>(event);
        task.op_index = node;
      };
      const NodeId node = graph.Add("Tanh", "t" + std::to_string(i), {at}, 1).id;
      if (i > 0 && i != lost) add(TaskType::kEventWait, kNoId, i - 1);
      add(TaskType::kKernel, node, 0);
      add(TaskType::kEventRecord, kNoId, i);
      at = graph.node(node).outputs[0];
    }
    return model;
  };
  CHECK(CheckOm(make(-1)).faults == std::vector<std::string>{});
  const OmVerdict lost = CheckOm(make(12345));
  REQUIRE(lost.faults.size() == 1);
  CHECK_THAT(lost.faults[0], Catch::Contains("('t12345', stream 2345)") && Catch::Contains("('t12344', stream 2344)"));
}

TEST_CASE("an event that is recorded again must have been waited for") {
  // Stream 0 records event 0 for stream 1, waits for event 1 from there, and records event 0 again.
  OmModel model;
  model.graph = std::make_unique<Graph>("again");
  model.dynamic = true;
  model.stream_num = 2;
  model.event_num = 2;
  const auto task = [&](TaskType type, uint32_t stream, uint32_t event) {
    Task& made = model.tasks.emplace_back();
    made.type = type;
    made.id = static_cast<uint32_t>(model.tasks.size()) - 1;
    made.stream = stream;
    made.event = event;
  };
  task(TaskType::kEventRecord, 0, 0);
  task(TaskType::kEventWait, 1, 0);
  task(TaskType::kEventRecord, 1, 1);
  task(TaskType::kEventWait, 0, 1);
  task(TaskType::kEventRecord, 0, 0);
  task(TaskType::kEventWait, 1, 0);
  CHECK(CheckOm(model).faults == std::vector<std::string>{});
  std::swap(model.tasks[3], model.tasks[4]);
  CHECK(Has(CheckOm(model), "event 0 again"));
}

TEST_CASE("a wait in vain, and an event recorded twice, are named") {
  OmModel model = Finished(2);
  const auto record = std::find_if(model.tasks.begin(), model.tasks.end(),
                                   [](const Task& task) { return task.type == TaskType::kEventRecord; });
  OmModel twice = Finished(2);
  const auto place = record - model.tasks.begin();
  twice.tasks.insert(twice.tasks.begin() + place, *record);
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
