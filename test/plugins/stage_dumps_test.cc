// Every stage that GE's default dumps name is dumped here too, in GE's order, or there is a reason.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/dump/stage_filter.h"
#include "compiler/ir/error.h"
#include "compiler/pipeline.h"
#include "test/plugins/opp_folder.h"

using namespace atc;
namespace fs = std::filesystem;

namespace {

struct Row {
  const char* stage;
  const char* absent;  // why there is no dump; empty: there is one
};

constexpr Row kWhiteList[] = {
    {"PreRunBegin", ""},
    {"RunCustomPassBeforeInfershape", ""},
    {"PreRunAfterNormalizeGraph", ""},
    {"AfterInfershape", ""},
    {"RunCustomPass_AfterInferShape", ""},
    {"PreRunAfterPrepare", ""},
    {"RunCustomPassAfterBuiltinFusionPass", ""},
    {"PreRunAfterOptimizeOriginalGraph", ""},
    {"AutoFuseBeforeOptimize", "elementwise chains are fused before types are chosen, not by a stage of their own"},
    {"AutoFuseAfterOptimize", "the same"},
    {"PreRunAfterOptimizeAfterStage1", ""},
    {"RunCustomPassAfterOriginGraphOptimize", ""},
    {"PreRunAfterOptimizeSubgraph", ""},
    {"PreRunAfterOptimizeGraphBeforeBuild", ""},
    {"RunCustomPass_BeforeAssignLogicStreamMoveB", ""},
    {"RunCustomPass_AfterAssignLogicStreamMoveB", ""},
    {"RunCustomPass_BeforeAssignLogicStreamKeepRules", ""},
    {"RunCustomPass_AfterAssignLogicStreamKeepRules", ""},
    {"Build", ""},
    {"ComputeGraphBeforeLowering", "the executor runs the om's tasks: nothing is lowered to a graph of kernels"},
    {"ExeGraphBeforeOptimize", "the same"},
    {"ExecuteGraphAfterSplit", "the same"},
};

// x -> a, b -> sum -> output; the test plugins look for the sum.
std::unique_ptr<Graph> Model() {
  auto graph = std::make_unique<Graph>("g");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {8, 8}));
  const auto softmax = [&](const char* name, int64_t axis) {
    Node& node = graph->Add("SoftmaxV2", name, {x}, 1);
    node.attrs.Set("axes", std::vector<int64_t>{axis});
    return node.outputs[0];
  };
  const ValueId sum = graph->Add("Add", "sum", {softmax("a", 0), softmax("b", 1)}, 1).outputs[0];
  graph->Add("NetOutput", "Node_Output", {sum}, 0);
  return graph;
}

// Stages of the files of one form, by number: "ge_onnx_00000007_graph_0_Build.pbtxt" is the last of eight.
std::vector<std::string> Dumped(const fs::path& folder, const std::string& prefix, const std::string& suffix) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (std::string& name : names) {
    const size_t begin = name.find("_graph_0_") + 9;
    name = name.substr(begin, name.size() - suffix.size() - begin);
  }
  return names;
}

std::vector<std::string> CompileAndDump(const std::string& level, const std::vector<const char*>& plugins,
                                        const std::string& prefix, const std::string& suffix) {
  const test::OppFolder opp;
  for (const char* plugin : plugins) opp.Add("v", plugin + std::string(".so"), plugin);
  const fs::path dumps = opp.root() / "dumps";
  CompileOptions options;
  options.soc_version = "Ascend910B3";
  CompileHooks hooks;
  hooks.opp_root = opp.root().string();
  hooks.dump.dump_ge_graph = "2";
  hooks.dump.dump_graph_level = level;
  hooks.dump.dump_graph_format = "ge_proto|onnx|readable";
  hooks.dump.dump_graph_path = dumps.string();
  Diagnostics diagnostics;
  Compile(Model(), options, &diagnostics, hooks);
  return Dumped(dumps, prefix, suffix);
}

}  // namespace

TEST_CASE("each stage of the white list is dumped in each form, in order, changed or not") {
  std::vector<std::string> wanted;
  for (const Row& row : kWhiteList) {
    CHECK(StageFilter("").Wants(row.stage));
    if (*row.absent == '\0') wanted.push_back(row.stage);
  }
  const std::vector<const char*> plugins = {"graph_passes", "two_streams"};
  CHECK(CompileAndDump("", plugins, "ge_onnx", ".pbtxt") == wanted);
  CHECK(CompileAndDump("2", plugins, "ge_proto", ".txt") == wanted);
  CHECK(CompileAndDump("2", plugins, "ge_readable", ".txt") == wanted);
}

TEST_CASE("without user passes their stages are not dumped; other levels choose as documented") {
  std::vector<std::string> wanted;
  for (const Row& row : kWhiteList) {
    if (*row.absent == '\0' && !std::string(row.stage).starts_with("RunCustomPass")) wanted.push_back(row.stage);
  }
  CHECK(CompileAndDump("2", {}, "ge_onnx", ".pbtxt") == wanted);
  CHECK(CompileAndDump("3", {}, "ge_onnx", ".pbtxt") == std::vector<std::string>{"Build"});
  CHECK(CompileAndDump("4", {}, "ge_onnx", ".pbtxt") == std::vector<std::string>{"PreRunBegin"});
  CHECK(CompileAndDump("FeInsertTransNode|Resource", {}, "ge_proto", ".txt") ==
        std::vector<std::string>{"OptimizeOriginalGraph_FeInsertTransNodeAfter", "AfterAssignResource"});
  // Level 1: every stage of the table but those of user passes.
  std::vector<std::string> all;
  for (const std::string_view stage : StageNames()) {
    if (!stage.starts_with("RunCustomPass")) all.emplace_back(stage);
  }
  CHECK(CompileAndDump("1", {}, "ge_onnx", ".pbtxt") == all);
}

TEST_CASE("where shapes do not fit, the graph is dumped as far as they go") {
  const test::OppFolder opp;
  const fs::path dumps = opp.root() / "dumps";
  CompileOptions options;
  options.soc_version = "Ascend910B3";
  CompileHooks hooks;
  hooks.opp_root = opp.root().string();
  hooks.dump.dump_ge_graph = "2";
  hooks.dump.dump_graph_level = "InferShape";
  hooks.dump.dump_graph_path = dumps.string();
  auto graph = std::make_unique<Graph>("g");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {2, 3}));
  const ValueId y = graph->AddData("y", 1, TensorDesc(DT_FLOAT, {2, 4}));
  graph->Add("NetOutput", "Node_Output", {graph->Add("Add", "sum", {x, y}, 1).outputs[0]}, 0);
  Diagnostics diagnostics;
  CHECK_THROWS_AS(Compile(std::move(graph), options, &diagnostics, hooks), Error);
  CHECK(Dumped(dumps, "ge_onnx", ".pbtxt") == std::vector<std::string>{"InferShapeBlackBox"});
}
