#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compiler/dump/dumper.h"
#include "compiler/dump/forms.h"
#include "compiler/io/utf8.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/om/json.h"
#include "compiler/pipeline.h"
#include "test/compiler/om/sample_model.h"
#include "test/compiler/random_model.h"

namespace atc {
namespace {

namespace fs = std::filesystem;

struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "openatc_test_XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), path).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

std::string Text(void (*write)(const GraphList&, int, ByteSink&), const Graph& graph, int detail) {
  StringSink out;
  write(GraphList(graph), detail, out);
  return out.text;
}

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("stages are chosen as DUMP_GRAPH_LEVEL says") {
  CHECK(StageFilter("").Wants("PreRunBegin"));
  CHECK(StageFilter("2").Wants("RunCustomPass_AfterInferShape"));
  CHECK_FALSE(StageFilter("2").Wants("PreRunAfterOptimize1"));
  CHECK(StageFilter("1").Wants("PreRunAfterOptimize1"));
  CHECK_FALSE(StageFilter("1").Wants("partition0_rank1_new_sub_graph"));
  CHECK(StageFilter("3").Wants("Build"));
  CHECK_FALSE(StageFilter("3").Wants("PreRunAfterBuild"));
  CHECK(StageFilter("4").Wants("PreRunBegin"));
  CHECK(StageFilter("Optimize|Build").Wants("PreRunAfterOptimize1"));
  CHECK(StageFilter("Optimize|Build").Wants("PreRunAfterBuild"));
  CHECK_FALSE(StageFilter("Optimize|Build").Wants("PreRunBegin"));
  CHECK_FALSE(StageFilter("7").Wants("Build"));
  CHECK_FALSE(StageFilter("|").Wants("Build"));
}

TEST_CASE("files have GE's names, numbers for each form, and are the user's alone") {
  TemporaryFolder folder;
  const OmModel model = SampleModel();
  DumpEnvironment environment;
  environment.dump_ge_graph = "2";
  environment.dump_graph_format = "ONNX|ge_proto|readable";
  environment.dump_graph_level = "Stage";
  environment.dump_graph_path = folder.path.string();
  environment.pid = 17;
  Dumper dumper(environment);
  dumper.Dump("Stage/1:a", *model.graph);
  dumper.Dump("Build", *model.graph);
  dumper.Dump("Stage" + std::string(300, 'n'), *model.graph, true, 3);
  dumper.Wait();
  const std::vector<std::string> files = folder.Files();
  REQUIRE(files.size() == 6);
  CHECK(files[0] == "pid_17_deviceid_0/ge_onnx_00000000_graph_0_Stage_1_a.pbtxt");
  CHECK(files[1].substr(0, 53) == "pid_17_deviceid_0/ge_onnx_00000001_graph_3_Stagennnnn");
  CHECK(fs::path(files[1]).filename().string().size() == 254);
  CHECK(files[2] == "pid_17_deviceid_0/ge_proto_00000000_graph_0_Stage_1_a.txt");
  CHECK(files[4] == "pid_17_deviceid_0/ge_readable_00000000_graph_0_Stage_1_a.txt");
  struct stat info;
  REQUIRE(stat((folder.path / files[0]).c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);

  TemporaryFolder operators;
  environment.single_op = true;
  environment.dump_graph_path = operators.path.string();
  Dumper(environment).Dump("Stage", *model.graph);
  REQUIRE(operators.Files().size() == 3);
  CHECK(operators.Files()[0] == "pid_17_deviceid_0/ge_onnx_00000002_aclop_graph_0_Stage.pbtxt");
  CHECK(operators.Files()[1] == "pid_17_deviceid_0/ge_proto_00000002_aclop_graph_0_Stage.txt");
  environment.single_op = false;

  TemporaryFolder collected;
  environment.npu_collect_path = collected.path.string();
  environment.dump_graph_format = "readable";
  Dumper(environment).Dump("Stage", *model.graph);
  REQUIRE(collected.Files().size() == 1);
  CHECK(collected.Files()[0] == "extra-info/graph/17_0/ge_readable_00000003_graph_0_Stage.txt");
}

TEST_CASE("nothing is dumped unless DUMP_GE_GRAPH asks for it") {
  CHECK_FALSE(Dumper(DumpEnvironment()).Wants("Build"));
  DumpEnvironment environment;
  environment.dump_ge_graph = "4";
  CHECK_FALSE(Dumper(environment).Wants("Build"));
  environment.dump_ge_graph = "1";
  CHECK(Dumper(environment).Wants("Build"));
}

TEST_CASE("the ONNX form has nodes, ports and attributes by level") {
  const OmModel model = SampleModel();
  const std::string all = Text(WriteOnnxText, *model.graph, 1);
  CHECK(all.find("ir_version: 6\nproducer_name: \"GE\"\n") == 0);
  CHECK(Has(all, R"(    input: "x:0"
    output: "conv1:relu:0"
    name: "conv1:relu"
    op_type: "ge:Identity"
)"));
  CHECK(Has(all, R"(      name: "input_desc_shape:0"
      ints: 1
      ints: 3
      ints: 4
      ints: 4
      type: INTS
)"));
  CHECK(Has(all, "name: \"output_desc_layout:0\"\n      s: \"NC1HWC0\"\n"));
  CHECK(Has(all, "name: \"output_desc_dtype:0\"\n      s: \"DT_FLOAT16\"\n"));
  CHECK(Has(all, "name: \"s\"\n      s: \"text\"\n      type: STRING\n"));
  CHECK(Has(all, "name: \"f\"\n      f: 0.1\n      type: FLOAT\n"));
  CHECK(Has(all, "name: \"lli_0\"\n      ints: 1\n      ints: 2\n"));
  CHECK(Has(all, "name: \"value_data\"\n      s: \"\\000\\000\\000?\\000\\000\\000\\200"));
  CHECK(Has(all, "input: \"recv:-1\"\n"));
  CHECK(Has(all, "output: \"recv:-1\"\n"));
  CHECK(Has(all, "op_type: \"subgraph\"\n"));

  const std::string small = Text(WriteOnnxText, *model.graph, 2);
  CHECK_FALSE(Has(small, "value_d"));
  CHECK_FALSE(Has(small, "name: \"s\"\n"));
  CHECK(Has(small, "name: \"i\"\n      i: -5\n"));
  const std::string bare = Text(WriteOnnxText, *model.graph, 3);
  CHECK_FALSE(Has(bare, "      name: \"id\"\n"));
  CHECK(Has(bare, "op_type: \"ge:Identity\"\n"));
}

TEST_CASE("twenty ports and more are described by one string each") {
  Graph graph("wide");
  std::vector<ValueId> values;
  for (int i = 0; i < 20; ++i) values.push_back(graph.AddData("", i, TensorDesc(DT_INT8, {i})));
  graph.Add("NetOutput", "out", values, 0);
  const std::string text = Text(WriteOnnxText, graph, 2);
  CHECK_FALSE(Has(text, "input_desc_shape:"));
  CHECK(Has(text, R"(s: "{\"dtype\":\"DT_INT8\",\"layout\":\"ND\",\"origin_layout\":\"ND\",\"origin_shape\":[19],)"));
}

TEST_CASE("the text of a ModelDef reads back as JSON") {
  TemporaryFolder folder;
  const OmModel model = SampleModel();
  const std::string path = (folder.path / "dump.txt").string();
  std::ofstream(path) << Text(WriteProtoText, *model.graph, 1);
  StringSink out;
  WriteTextDumpJson(path, out);
  const auto json = nlohmann::json::parse(out.text);
  CHECK(json["name"] == "sample");
  REQUIRE(json["graph"].size() == 3);
  const auto& ops = json["graph"][0]["op"];
  const auto find = [&](const std::string& name) {
    return *std::find_if(ops.begin(), ops.end(), [&](const auto& op) { return op["name"] == name; });
  };
  const auto identity = find("conv1:relu");
  CHECK(identity["type"] == "Identity");
  CHECK(identity["input"] == nlohmann::json::array({"x:0"}));
  CHECK(identity["output_desc"][0]["shape"]["dim"] == nlohmann::json::array({1, 1, 4, 4, 16}));
  CHECK(identity["output_desc"][0]["dtype"] == "DT_FLOAT16");
  CHECK_FALSE(identity.contains("workspace"));
  CHECK(find("owner")["input"] == nlohmann::json::array({"fused:0", "recv:-1"}));
  CHECK(find("owner")["subgraph_name"][0] == json["graph"][2]["name"]);

  const std::string small = Text(WriteProtoText, *model.graph, 2);
  CHECK(small.size() < Text(WriteProtoText, *model.graph, 1).size());
  CHECK_FALSE(Has(small, "key: \"value\""));

  std::ofstream(path) << "name: \"x\"\ngraph { op { name: 5 } }\n";
  try {
    WriteTextDumpJson(path, out);
    FAIL("a number is no name");
  } catch (const Error& error) {
    CHECK(error.diagnostic().code == "E13018");
    CHECK(error.diagnostic().args[1].second.find("line 2, column 20: ") == 0);
  }
}

TEST_CASE("text that nodes share is that which each has for itself, at every stage") {
  using WriteFn = void (*)(const StageSnapshot&, NodeTexts*, ByteSink&);
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    const test::RandomModel model(seed, 40);
    for (const int detail : {1, 2}) {
      SnapshotTaker taker(detail);
      NodeTexts texts[2];
      CompileOptions options;
      options.soc_version = "Ascend910B3";
      CompileHooks hooks;
      hooks.opp_root = "/nonexistent";
      size_t stages = 0;
      hooks.after_stage = [&](std::string_view stage, const Graph& graph) {
        if (stage.find("After") == std::string_view::npos) return;
        ++stages;
        const WriteFn writers[] = {WriteOnnxText, WriteProtoText};
        const GraphList graphs(graph);
        const auto sharing = taker.Take(graphs);
        const auto lonely = SnapshotTaker(detail, /*share=*/false).Take(graphs);
        for (int i = 0; i < 2; ++i) {
          StringSink shared, alone;
          NodeTexts none;
          writers[i](*sharing, &texts[i], shared);
          writers[i](*lonely, &none, alone);
          INFO("seed " << seed << ", " << stage << ", form " << i);
          REQUIRE((shared.text == alone.text));
        }
      };
      Diagnostics diagnostics;
      Compile(model.graph().Clone(), options, &diagnostics, hooks);
      CHECK(stages > 20);
    }
  }
}

TEST_CASE("a stage that has changed nothing gets a copy of the files before it") {
  TemporaryFolder folder;
  const OmModel model = SampleModel();
  DumpEnvironment environment;
  environment.dump_ge_graph = "1";
  environment.dump_graph_level = "1";
  environment.dump_graph_path = folder.path.string();
  environment.pid = 1;
  {
    Dumper dumper(environment);
    dumper.Dump("First", *model.graph);
    dumper.Dump("Same", *model.graph, /*changed=*/false);
  }
  const std::vector<std::string> files = folder.Files();
  REQUIRE(files.size() == 4);
  const auto read = [&](const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder.path / name, std::ios::binary).rdbuf();
    return text.str();
  };
  CHECK(Has(files[1], "Same"));
  CHECK(read(files[0]) == read(files[1]));
  CHECK(read(files[2]) == read(files[3]));
  CHECK(read(files[3]) == Text(WriteProtoText, *model.graph, 1));
  CHECK(fs::equivalent(folder.path / files[0], folder.path / files[1]));  // what is the same lies on the disk once
}

TEST_CASE("a stage that begins as the one before, or holds less, has all of its text") {
  TemporaryFolder folder;
  Graph graph("g");
  graph.AddData("x", 0, TensorDesc(DT_FLOAT, {2}));
  DumpEnvironment environment;
  environment.dump_ge_graph = "2";
  environment.dump_graph_level = "1";
  environment.dump_graph_format = "readable";
  environment.dump_graph_path = folder.path.string();
  const NodeId y = graph.Add("Data", "y", {}, 1).id;
  std::vector<std::string> texts;
  {
    Dumper dumper(environment);
    const auto dump = [&](const char* stage) {
      dumper.Dump(stage, graph);
      texts.push_back(Text(WriteReadableText, graph, 2));
    };
    dump("Stage0");
    graph.Remove(y);
    dump("Stage1");
    dump("Stage2");  // may have changed, but has not
    graph.Add("Data", "z", {}, 1);
    dump("Stage3");
  }
  const std::vector<std::string> files = folder.Files();
  REQUIRE(files.size() == 4);
  for (size_t i = 0; i < files.size(); ++i) {
    std::ostringstream text;
    text << std::ifstream(folder.path / files[i], std::ios::binary).rdbuf();
    CHECK(text.str() == texts[i]);
  }
  CHECK(fs::equivalent(folder.path / files[1], folder.path / files[2]));
}

TEST_CASE("dumps of another process in the same folder do not get into those of this one") {
  const OmModel model = SampleModel();
  const std::string form = GENERATE("ge_proto", "onnx", "readable");
  const bool removed = GENERATE(false, true);
  TemporaryFolder folder;
  DumpEnvironment environment;
  environment.dump_ge_graph = "1";
  environment.dump_graph_level = "1";
  environment.dump_graph_format = form;
  environment.ascend_work_path = folder.path.string();
  Diagnostics diagnostics;
  Dumper dumper(environment, &diagnostics);
  const auto file = [&](size_t i) { return folder.path / folder.Files()[i]; };
  const auto text = [](const fs::path& path) {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
  };
  dumper.Dump("A", *model.graph);
  dumper.Wait();
  const std::string ours = text(file(0));
  if (removed) {
    fs::remove(file(0));
  } else {
    std::ofstream(folder.path / "other") << "of another process";
    fs::rename(folder.path / "other", file(0));
  }
  dumper.Dump("B", *model.graph, false);
  dumper.Dump("C", *model.graph, true);
  dumper.Wait();
  const size_t others = removed ? 0 : 1;
  REQUIRE(folder.Files().size() == 2 + others);
  CHECK(text(file(others)) == ours);
  CHECK(text(file(others + 1)) == ours);
  CHECK(diagnostics.all().empty());
}

TEST_CASE("a dump that somebody cuts short ends the dumps with a warning") {
  const OmModel model = SampleModel();
  const std::string form = GENERATE("ge_proto", "onnx", "readable");
  const bool changed = GENERATE(false, true);
  TemporaryFolder folder;
  DumpEnvironment environment;
  environment.dump_ge_graph = "1";
  environment.dump_graph_level = "1";
  environment.dump_graph_format = form;
  environment.ascend_work_path = folder.path.string();
  Diagnostics diagnostics;
  Dumper dumper(environment, &diagnostics);
  dumper.Dump("A", *model.graph);
  dumper.Wait();
  const std::string file = (folder.path / folder.Files().at(0)).string();
  fs::resize_file(file, 10);
  dumper.Dump("B", *model.graph, changed);
  dumper.Wait();
  CHECK(folder.Files().size() == 1);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(MessageText(diagnostics.all()[0]) ==
        "The file " + file + " cannot be read: the dump was changed while the ones after it were written.");
}

TEST_CASE("the readable form has one line a node") {
  Graph graph("g");
  const ValueId x = graph.AddData("x", 0, TensorDesc(DT_FLOAT, {2}));
  const ValueId few = graph.AddConst("few", Tensor::Ints({1, -2}));
  const ValueId many = graph.AddConst("many", Tensor::From<float>(DT_FLOAT, {8}, {0.1f, 1, 2, 3, 4, 5, 6, 7}));
  Node& copy = graph.Add("Identity", "copy", {x});
  copy.attrs.Set("flag", true);
  copy.attrs.Set("name", "a\"b");
  Node& two = graph.Add("Identity", "two", {copy.outputs[0]}, 2);
  graph.Add("NetOutput", "NetOutput", {two.outputs[1], few, many}, 0);
  CHECK(Text(WriteReadableText, graph, 1) == R"(graph("g"):
  %x : [#users=1] = Node[type=Data] (attrs = {index: 0})
  %few : [#users=1] = Node[type=Const] (attrs = {value: [1, -2]})
  %many : [#users=1] = Node[type=Const] (attrs = {value: [0.1, 1, 2 ... 5, 6, 7]})
  %copy : [#users=1] = Node[type=Identity] (inputs = (x=%x), attrs = {flag: true, name: "a\"b"})
  %two : [#users=1] = Node[type=Identity] (inputs = (x=%copy))
  %ret : [#users=0] = get_element[node=%two](0)
  %ret_1 : [#users=1] = get_element[node=%two](1)
  return (output_0=%ret_1, output_1=%few, output_2=%many)
)");
  CHECK(Has(Text(WriteReadableText, graph, 2), "%few : [#users=1] = Node[type=Const] ()\n"));
}

TEST_CASE("the readable form has one line a node and is UTF-8 whatever names and strings hold") {
  Graph graph("g\nh");
  const ValueId x = graph.AddData("new\nline", 0, TensorDesc(DT_FLOAT, Shape{2}));
  Node& node = graph.Add("Relu", "\xe6\x97\xa5\x80\t", {x}, 1);
  const std::string long_text = std::string(255, 'a') + "\xe6\x97\xa5";
  node.attrs.Set("long", long_text);
  node.attrs.Set("odd", std::string("\xff\"\\\n"));
  graph.Add("NetOutput", "out", {node.outputs[0]}, 0);
  const std::string text = Text(WriteReadableText, graph, 1);
  CHECK(IsUtf8(text));
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  CHECK(Has(text, "graph(\"g\\x0ah\"):\n"));
  CHECK(Has(text, "  %\xe6\x97\xa5\\x80\\x09 : [#users=1] = Node[type=Relu] (inputs = (x=%new\\x0aline)"));
  CHECK(Has(text, "long: \"" + std::string(255, 'a') + "...\""));
  CHECK(Has(text, R"(odd: "\xff\"\\\x0a")"));
}

TEST_CASE("a folder that cannot be written is a warning, not the end") {
  const OmModel model = SampleModel();
  DumpEnvironment environment;
  environment.dump_ge_graph = "2";
  environment.dump_graph_path = "/dev/null/none";
  TemporaryFolder here;
  const fs::path before = fs::current_path();
  fs::current_path(here.path);
  Diagnostics diagnostics;
  Dumper(environment, &diagnostics).Dump("Build", *model.graph);
  fs::current_path(before);
  CHECK(here.Files().size() == 2);  // in the working directory instead
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(
      MessageText(diagnostics.all()[0]) ==
      "The environment variable DUMP_GRAPH_PATH is '/dev/null/none'. No folder can be made there: the dumps go to the "
      "working folder.");
}

}  // namespace
}  // namespace atc
