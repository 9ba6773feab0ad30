// User passes from the folder to the finished model.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/ir/error.h"
#include "compiler/pipeline.h"
#include "compiler/plan/check_order.h"
#include "plugins/loader/plugin_files.h"
#include "plugins/loader/shared_library.h"
#include "test/plugins/opp_folder.h"

using namespace atc;
using test::OppFolder;
namespace fs = std::filesystem;

namespace {

// x -> a, b (softmax over either axis) -> sum -> output
std::unique_ptr<Graph> TwoBranches() {
  auto graph = std::make_unique<Graph>("g");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {8, 8}));
  const auto softmax = [&](const char* name, int64_t axis) {
    Node& node = graph->Add("SoftmaxV2", name, {x}, 1);
    node.attrs.Set("axes", std::vector<int64_t>{axis});
    return node.outputs[0];
  };
  const ValueId a = softmax("a", 0);
  const ValueId b = softmax("b", 1);
  const ValueId sum = graph->Add("Add", "sum", {a, b}, 1).outputs[0];
  graph->Add("NetOutput", "Node_Output", {sum}, 0);
  return graph;
}

// Two diamonds of known shapes, whose names begin with "x" and "z", and a sum of unknown ones over both.
std::unique_ptr<Graph> Mixed() {
  auto graph = std::make_unique<Graph>("mixed");
  const auto softmax = [&](const std::string& name, ValueId from, int64_t axis) {
    Node& node = graph->Add("SoftmaxV2", name, {from}, 1);
    node.attrs.Set("axes", std::vector<int64_t>{axis});
    return node.outputs[0];
  };
  const auto diamond = [&](const std::string& name, int64_t index) {
    const ValueId data = graph->AddData(name, index, TensorDesc(DT_FLOAT, {8, 8}));
    const ValueId top = softmax(name + "_top", data, 0);
    const ValueId left = softmax(name + "_left", top, 1);
    const ValueId side = softmax(name + "_side", top, 0);
    return softmax(name + "_end", graph->Add("Add", name + "_join", {left, side}, 1).outputs[0], 1);
  };
  const ValueId x = diamond("x", 0);
  const ValueId z = diamond("z", 1);
  const ValueId open = graph->AddData("open", 2, TensorDesc(DT_FLOAT, {-1, 8}));
  const ValueId sum = softmax("sum", graph->Add("Add", "open_x", {x, open}, 1).outputs[0], 1);
  graph->Add("NetOutput", "Node_Output", {graph->Add("Add", "open_z", {sum, z}, 1).outputs[0]}, 0);
  return graph;
}

struct Outcome {
  PluginReport report;
  CompileResult result;
  Diagnostic fault;  // its code is empty where there was none

  const Graph& graph() const { return *result.model.graph; }
  std::string reason() const {
    for (const auto& [name, value] : fault.args) {
      if (name == "reason") return value;
    }
    return "";
  }
};

Outcome Convert(const OppFolder& opp, bool single_stream = false, const CompileHooks& more = {},
                std::unique_ptr<Graph> (*make)() = TwoBranches) {
  Outcome outcome;
  CompileOptions options;
  options.soc_version = "Ascend910B3";
  options.precision_mode = PrecisionMode::kKeepOrigin;
  options.single_stream = single_stream;
  CompileHooks hooks = more;
  hooks.opp_root = opp.root().string();
  hooks.plugins = &outcome.report;
  hooks.verify = true;
  Diagnostics diagnostics;
  try {
    outcome.result = Compile(make(), options, &diagnostics, hooks);
  } catch (const Error& error) {
    outcome.fault = error.diagnostic();
  }
  return outcome;
}

int Count(const Graph& graph, const char* type) {
  int count = 0;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) count += graph.node(id).alive && graph.node(id).type() == type;
  return count;
}

}  // namespace

TEST_CASE("plugins are found in text order, one level deep, through links") {
  const OppFolder opp;
  opp.Add("beta", "2.so", "two_streams");
  opp.Add("beta", "10.so", "two_streams");
  opp.Add("Zeta", "x.so", "two_streams");
  opp.Add("alpha", "readme.txt", "two_streams");
  fs::create_directories(opp.Folder("alpha") / "deeper.so");
  fs::create_symlink("nowhere", opp.Folder("alpha") / "lost.so");
  fs::create_directories(opp.root() / "vendors" / "no_passes");
  std::ofstream(opp.root() / "vendors" / "config.ini") << "load_priority=beta\n";
  const std::vector<PluginFile> found = FindPlugins(opp.root().string(), "custom_fusion_passes");
  std::vector<std::string> names;
  for (const PluginFile& file : found) names.push_back(fs::path(file.path).lexically_relative(opp.root() / "vendors").string());
  CHECK(names == std::vector<std::string>{"Zeta/custom_fusion_passes/x.so", "alpha/custom_fusion_passes/lost.so",
                                          "beta/custom_fusion_passes/10.so", "beta/custom_fusion_passes/2.so"});
  REQUIRE(found.size() == 4);
  CHECK(found[0].problem.empty());
  CHECK(found[1].problem.find("cannot be read") != std::string::npos);
  CHECK(FindPlugins((opp.root() / "missing").string(), "custom_fusion_passes").empty());
}

TEST_CASE("ASCEND_OPP_PATH names the folder") {
  const char* before = std::getenv("ASCEND_OPP_PATH");
  const std::string saved = before == nullptr ? "" : before;
  setenv("ASCEND_OPP_PATH", "/some/opp", 1);
  CHECK(OppRoot() == "/some/opp");
  unsetenv("ASCEND_OPP_PATH");
  CHECK(fs::path(OppRoot()).filename() == "opp");  // of the installation
  if (before != nullptr) setenv("ASCEND_OPP_PATH", saved.c_str(), 1);
}

TEST_CASE("mangled names in messages are explained") {
  CHECK(Demangled("undefined symbol: _ZN1a1bEv") == "undefined symbol: _ZN1a1bEv (a::b())");
  CHECK(Demangled("no symbol: x_Zy, _Zx") == "no symbol: x_Zy, _Zx");
}

TEST_CASE("stream passes move nodes; events follow") {
  const OppFolder opp;
  const Outcome plain = Convert(opp);
  REQUIRE(plain.fault.code.empty());
  CHECK(plain.report.empty());
  CHECK(plain.result.model.stream_num == 1);
  CHECK(Count(plain.graph(), "Send") == 0);
  for (const char* plugin : {"two_streams", "old_abi"}) {
    const OppFolder with;
    with.Add("v", "p.so", plugin);
    const Outcome moved = Convert(with);
    INFO(plugin << ": " << moved.fault.code << " " << moved.reason());
    REQUIRE(moved.fault.code.empty());
    CHECK(moved.result.model.stream_num == 2);
    CHECK(moved.graph().Find("b")->stream != moved.graph().Find("a")->stream);
    // x is there from the start: only `sum` waits for `b`, or `b` comes back to the stream of `a`.
    CHECK(Count(moved.graph(), "Send") == 1);
    CHECK(Count(moved.graph(), "Recv") == 1);
    CHECK(CheckOrder(moved.graph()).empty());
    CHECK(moved.graph().attrs.Get<std::string>(kCustomLogicalStreamIds, "") == "1");
    CHECK(moved.graph().Find("b")->reasons.back().rule == "custom pass MoveB, from stream 0");
    REQUIRE(moved.report.files.size() == 1);
    CHECK(moved.report.files[0].loaded);
    REQUIRE(moved.report.files[0].passes.size() == 2);
    CHECK(moved.report.files[0].passes[0].name == "MoveB");
    CHECK(moved.report.files[0].passes[0].moved == 1);
    CHECK(moved.report.files[0].passes[0].streams == 1);
    CHECK(moved.report.files[0].passes[1].moved == 0);
    CHECK(moved.report.files[0].passes[1].without_task == 1);
    CHECK(moved.report.Text().find("MoveB at kAfterAssignLogicStream ran: moved 1 node") != std::string::npos);
  }
}

TEST_CASE("under a single stream stream passes are skipped, which the report says") {
  const OppFolder opp;
  opp.Add("v", "p.so", "two_streams");
  const Outcome outcome = Convert(opp, true);
  REQUIRE(outcome.fault.code.empty());
  CHECK(outcome.result.model.stream_num == 1);
  CHECK(outcome.report.files[0].passes[0].outcome == PluginReport::Outcome::kSkipped);
  CHECK(outcome.report.Text().find("was skipped: --enable_single_stream") != std::string::npos);
}

TEST_CASE("in a model of unknown shapes stream passes run on the root and on each part of known ones") {
  OppFolder opp;
  opp.Add("v", "p.so", "each_graph");
  CompileHooks hooks;
  hooks.dump.dump_ge_graph = "3";
  hooks.dump.dump_graph_level = "AssignLogicStreamMoveSides|AfterDynamicShapePartition";
  hooks.dump.dump_graph_format = "readable";
  hooks.dump.dump_graph_path = (opp.root() / "dumps").string();
  const Outcome plain = Convert(OppFolder(), false, {}, Mixed);
  REQUIRE(plain.fault.code.empty());
  CHECK(plain.result.model.stream_num == 1);
  for (const bool several : {false, true}) {
    if (several) setenv("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM", "1", 1);
    const Outcome moved = Convert(opp, false, hooks, Mixed);
    unsetenv("ENABLE_DYNAMIC_SHAPE_MULTI_STREAM");
    INFO(moved.fault.code << " " << moved.reason() << "\n" << moved.report.Text());
    REQUIRE(moved.fault.code.empty());
    CHECK(moved.result.model.dynamic);
    CHECK(moved.result.model.stream_num == 2);
    CHECK(moved.graph().Find("x_side")->stream == 1);
    CHECK(moved.graph().Find("z_side")->stream == 1);
    CHECK(moved.graph().Find("x_left")->stream == 0);
    CHECK(Count(moved.graph(), "Send") == 4);
    CHECK(Count(moved.graph(), "PartitionedCall") == 0);
    CHECK(CheckOrder(moved.graph()).empty());
    CHECK(moved.graph().attrs.Get<std::string>(kCustomLogicalStreamIds, "") == "1");
    const PluginReport::Pass& pass = moved.report.files.at(0).passes.at(0);
    CHECK(pass.moved == 2);
    REQUIRE(pass.runs.size() == 3);
    CHECK(pass.runs[0].graph == "mixed");
    CHECK(pass.runs[0].moved == 0);
    CHECK(pass.runs[1].graph == "mixed_sub_0_know");
    CHECK(pass.runs[1].moved == 1);
    CHECK(pass.runs[2].graph == "mixed_sub_1_know");
    CHECK_THAT(moved.report.Text(), Catch::Contains("      graph mixed_sub_1_know: moved 1 node to other streams, took 1 new stream id\n"));
    CHECK_THAT(moved.report.Json(), Catch::Contains("\"graph\": \"mixed_sub_0_know\""));
  }
  std::vector<std::string> dumps;
  for (const auto& entry : fs::recursive_directory_iterator(opp.root() / "dumps")) {
    if (entry.is_regular_file()) dumps.push_back(entry.path().filename().string());
  }
  std::sort(dumps.begin(), dumps.end());
  for (std::string& dump : dumps) dump = dump.substr(dump.find("graph_0_") + 8);
  const std::string before = "RunCustomPass_BeforeAssignLogicStreamMoveSides.txt";
  const std::string after = "RunCustomPass_AfterAssignLogicStreamMoveSides.txt";
  const std::string split = "AfterDynamicShapePartition.txt";
  // The root comes first, then the parts.
  CHECK(dumps == std::vector<std::string>{split, before, after, before, after, before, after,
                                          split, before, after, before, after, before, after});
}

TEST_CASE("under a single stream parts have no streams of their own, and passes run on none of them") {
  OppFolder opp;
  opp.Add("v", "p.so", "each_graph");
  const Outcome single = Convert(opp, true, {}, Mixed);
  CHECK(single.result.model.stream_num == 1);
  CHECK(single.report.files.at(0).passes.at(0).outcome == PluginReport::Outcome::kSkipped);
}

TEST_CASE("passes are dumped before and after, and each stage that ran some") {
  const OppFolder opp;
  opp.Add("v", "a.so", "graph_passes");
  opp.Add("v", "b.so", "two_streams");
  CompileHooks hooks;
  hooks.dump.dump_ge_graph = "3";
  hooks.dump.dump_graph_level = "RunCustomPass";
  hooks.dump.dump_graph_format = "readable";
  hooks.dump.dump_graph_path = (opp.root() / "dumps").string();
  const Outcome outcome = Convert(opp, false, hooks);
  INFO(outcome.fault.code << " " << outcome.reason());
  REQUIRE(outcome.fault.code.empty());
  std::vector<std::string> stages;
  for (const auto& entry : fs::recursive_directory_iterator(opp.root() / "dumps")) {
    if (entry.is_regular_file()) stages.push_back(entry.path().filename().string());
  }
  std::sort(stages.begin(), stages.end());
  for (std::string& stage : stages) stage = stage.substr(stage.find("RunCustomPass"));
  CHECK(stages == std::vector<std::string>{
                      "RunCustomPassBeforeInfershape.txt", "RunCustomPass_AfterInferShape.txt",
                      "RunCustomPassAfterBuiltinFusionPass.txt", "RunCustomPassAfterOriginGraphOptimize.txt",
                      "RunCustomPass_BeforeAssignLogicStreamMoveB.txt", "RunCustomPass_AfterAssignLogicStreamMoveB.txt",
                      "RunCustomPass_BeforeAssignLogicStreamKeepRules.txt",
                      "RunCustomPass_AfterAssignLogicStreamKeepRules.txt"});
}

TEST_CASE("graph passes change the graph at each stage") {
  const OppFolder opp;
  opp.Add("v", "p.so", "graph_passes");
  std::vector<std::string> seen;  // nodes by stage of those that passes made
  CompileHooks hooks;
  hooks.after_stage = [&](std::string_view stage, const Graph& graph) {
    for (const char* name : {"sum", "difference", "AbsInfer", "AbsFusion", "AbsLast"}) {
      if (stage.starts_with("RunCustomPass") && graph.Find(name) != nullptr) seen.push_back(std::string(stage) + ":" + name);
    }
  };
  const Outcome outcome = Convert(opp, false, hooks);
  INFO(outcome.fault.code << " " << outcome.reason());
  REQUIRE(outcome.fault.code.empty());
  CHECK(seen.front() == "RunCustomPassBeforeInfershape:difference");
  CHECK(seen.back() == "RunCustomPassAfterOriginGraphOptimize:AbsLast");
  const auto& passes = outcome.report.files[0].passes;
  REQUIRE(passes.size() == 4);
  CHECK(passes[0].added == 1);
  CHECK(passes[0].removed == 1);
  CHECK(passes[3].added == 1);
  const Node* last = outcome.graph().Find("AbsLast");
  REQUIRE(last != nullptr);
  CHECK(outcome.graph().origins().Flatten(last->origin) == std::vector<std::string>{"AbsLast"});
  CHECK(outcome.graph().desc(last->outputs[0]).dtype == DT_FLOAT);
}

TEST_CASE("a faulty plugin is refused by name") {
  struct Case {
    const char* plugin;
    const char* code;
    const char* name;    // value of the first argument, or how it ends
    const char* reason;  // part of it
    const char* status;  // as it is told
  };
  const Case cases[] = {
      {"faulty1", "E13028", "Fails", "the weather is bad", "7"},
      {"faulty2", "E13028", "Throws", "it threw: no more eggs", "FAILED (4294967295)"},
      {"faulty3", "E13028", "MakesCycle", "cycle", ""},
      {"faulty4", "E13028", "LosesEdge", "required input", ""},
      {"faulty5", "E13028", "DropsOutput", "gathers the model's outputs", ""},
      {"faulty6", "E13030", "NoFunction", "kAfterInferShape", ""},
      {"faulty7", "E13029", "p.so", "c10_npu::Stream::number(int) const", ""},
      {"faulty8", "E13028", "LeavesType", "'strange' of type Strange", "SUCCESS (0)"},
      {"faulty9", "E13028", "WrongStream", "node 'b' to 99: ids go from 0 to 0", ""},
      {"faulty10", "E13028", "UnfeedsOutput", "nothing feeds input 0 of node 'Node_Output'", ""},
  };
  for (const Case& c : cases) {
    const OppFolder opp;
    opp.Add("v", "p.so", c.plugin);
    const Outcome outcome = Convert(opp);
    INFO(c.plugin << ": " << outcome.reason());
    CHECK(outcome.fault.code == c.code);
    REQUIRE(!outcome.fault.args.empty());
    CHECK_THAT(outcome.fault.args[0].second, Catch::EndsWith(c.name));
    CHECK_THAT(outcome.reason(), Catch::Contains(c.reason));
    if (c.status[0] != 0) CHECK(outcome.fault.args[1] == std::pair<std::string, std::string>("retcode", c.status));
    CHECK(!outcome.report.empty());
  }
  const OppFolder opp;
  std::ofstream(opp.Folder("v") / "text.so") << "no library";
  const Outcome outcome = Convert(opp);
  CHECK(outcome.fault.code == "E13029");
  CHECK(outcome.report.Text().find("text.so: not loaded: ") != std::string::npos);
  // However much of a library is missing, it is refused rather than mapped.
  const fs::path whole = fs::path(OPENATC_TEST_PLUGINS) / "two_streams.so";
  const auto bytes = static_cast<int64_t>(fs::file_size(whole));
  for (const int64_t kept : {int64_t{0}, int64_t{40}, int64_t{100}, int64_t{5000}, bytes / 2, bytes - bytes / 4}) {
    const OppFolder with;
    const fs::path cut = with.Folder("v") / "cut.so";
    fs::copy_file(whole, cut);
    fs::resize_file(cut, static_cast<uintmax_t>(kept));
    INFO(kept << " of " << bytes << " bytes");
    const Outcome refused = Convert(with);
    CHECK((refused.fault.code == "E13029" || kept > bytes / 2));
  }
}

TEST_CASE("patterns are matched and operators decomposed, with either ABI of the standard library") {
  for (const char* plugin : {"fusion_passes", "fusion_passes_old_abi"}) {
    const OppFolder opp;
    opp.Add("v", "p.so", plugin);
    std::vector<std::string> types;  // after the passes of the stage after inference
    CompileHooks hooks;
    hooks.after_stage = [&](std::string_view stage, const Graph& graph) {
      if (stage != "RunCustomPass_AfterInferShape") return;
      for (const NodeId id : graph.TopologicalOrder()) types.push_back(graph.node(id).type().str());
      std::sort(types.begin(), types.end());
    };
    const Outcome outcome = Convert(opp, false, hooks);
    INFO(plugin << ": " << outcome.fault.code << " " << outcome.reason() << ", code " << (outcome.fault.args.size() > 1 ? outcome.fault.args[1].second : ""));
    REQUIRE(outcome.fault.code.empty());
    CHECK(types == std::vector<std::string>{"Data", "Exp", "LogSoftmaxV2", "Neg", "NetOutput", "SoftmaxV2", "Sub"});
    const auto& passes = outcome.report.files[0].passes;
    REQUIRE(passes.size() == 4);
    CHECK(passes[0].replaced == 1);
    CHECK(passes[1].replaced == 1);
    CHECK(passes[3].added == 0);
    const std::string json = outcome.report.Json();
    CHECK(json.find("\"replaced_places\": 1") != std::string::npos);
    CHECK(json.find("\"outcome\": \"ran\"") != std::string::npos);
  }
}

// The table that op::<type> and es::<type> come from names inputs as the compiler does, since both count ports.
TEST_CASE("the table of operators agrees with the compiler's definitions") {
  std::ifstream table(OPENATC_OPERATOR_TABLE);
  REQUIRE(table);
  int compared = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("#")) continue;
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == '\t') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    const OpDef* def = OpRegistry::Get().Find(Name(fields[0]));
    if (def == nullptr || fields[0] == "Data") continue;  // a model's input takes nothing here
    INFO(line);
    fields.resize(5);
    std::string inputs;
    for (const IoDef& input : def->inputs) {
      inputs += (inputs.empty() ? "" : " ") + input.name.str() +
                (input.kind == IoKind::kRequired ? "" : input.kind == IoKind::kOptional ? "?" : "*");
    }
    CHECK(inputs == fields[2]);
    ++compared;
  }
  CHECK(compared > 100);
}

TEST_CASE("the example passes do what they say") {
  const OppFolder tuned;
  tuned.Add("mine", "fine_tuning.so", "fine_tuning");
  setenv("STREAM_PASS_NODE", "a", 1);
  const Outcome moved = Convert(tuned);
  setenv("STREAM_PASS_NODE", "nobody", 1);
  const Outcome wrong = Convert(tuned);
  unsetenv("STREAM_PASS_NODE");
  const Outcome untouched = Convert(tuned);
  CHECK(moved.result.model.stream_num == 2);
  CHECK(Count(moved.graph(), "Send") == 1);
  CHECK(CheckOrder(moved.graph()).empty());
  CHECK(wrong.fault.code == "E13028");
  CHECK(untouched.result.model.stream_num == 1);

  const OppFolder own;
  own.Add("mine", "allocation.so", "allocation");
  const Outcome two = Convert(own);
  REQUIRE(two.fault.code.empty());
  CHECK(two.result.model.stream_num == 2);
  CHECK(two.graph().Find("a")->stream != two.graph().Find("b")->stream);
  CHECK(CheckOrder(two.graph()).empty());
  setenv("STREAM_PASS_COUNT", "1", 1);
  CHECK(Convert(own).result.model.stream_num == 1);
  unsetenv("STREAM_PASS_COUNT");
}
