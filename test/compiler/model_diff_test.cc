// Each kind of difference is told as what it is, in text and in JSON, and nothing else is.
#include "compiler/model_diff.h"

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>

namespace atc {
namespace {

// An om with a constant, an operator and a Send.
ModelView Sample() {
  ModelView view;
  view.source = "x.om";
  view.kind = "om";
  view.placed = true;
  view.fields = {{"stream_num", "2"}};
  ViewedTensor tensor;
  tensor.dtype = "DT_FLOAT";
  tensor.format = tensor.origin_format = "NCHW";
  tensor.shape = tensor.origin_shape = {1, 3, 4, 4};
  tensor.offset = 512;
  tensor.size = 256;
  ViewedNode weight;
  weight.name = "w";
  weight.type = "Const";
  weight.outputs = {tensor};
  weight.weight_sha256 = "01ab";
  weight.valued = true;
  ViewedNode relu;
  relu.name = "relu";
  relu.type = "Relu";
  relu.inputs = {"w:0"};
  relu.control = {"send"};
  relu.outputs = {tensor};
  relu.workspace = {1024};
  relu.attrs = {{"negative_slope", "0"}};
  relu.stream = 0;
  ViewedNode send;
  send.name = "send";
  send.type = "Send";
  send.stream = 1;
  send.event = 3;
  view.nodes = {weight, relu, send};
  return view;
}

struct Kind {
  const char* kind;
  const char* node;
  const char* a;
  const char* b;
  std::function<void(ModelView& view)> change;
};

const Kind kKinds[] = {
    {"model", "", "2", "3", [](ModelView& v) { v.fields["stream_num"] = "3"; }},
    {"node", "new", "", "Abs", [](ModelView& v) { v.nodes.emplace_back().name = "new", v.nodes.back().type = "Abs"; }},
    {"node", "send", "Send", "", [](ModelView& v) { v.nodes.pop_back(); }},
    {"type", "relu", "Relu", "Relu6", [](ModelView& v) { v.nodes[1].type = "Relu6"; }},
    {"input", "relu", "[w:0]", "[w:1]", [](ModelView& v) { v.nodes[1].inputs = {"w:1"}; }},
    {"control", "relu", "[send]", "[]", [](ModelView& v) { v.nodes[1].control.clear(); }},
    {"dtype", "relu", "DT_FLOAT", "DT_FLOAT16", [](ModelView& v) { v.nodes[1].outputs[0].dtype = "DT_FLOAT16"; }},
    {"format", "relu", "NCHW", "NC1HWC0", [](ModelView& v) { v.nodes[1].outputs[0].format = "NC1HWC0"; }},
    {"format", "w", "NCHW", "NHWC", [](ModelView& v) { v.nodes[0].outputs[0].origin_format = "NHWC"; }},
    {"shape", "relu", "[1, 3, 4, 4]", "[1, 3, 16]", [](ModelView& v) { v.nodes[1].outputs[0].shape = {1, 3, 16}; }},
    {"shape", "w", "[1, 3, 4, 4]", "[48]", [](ModelView& v) { v.nodes[0].outputs[0].origin_shape = {48}; }},
    {"stream", "relu", "0", "1", [](ModelView& v) { v.nodes[1].stream = 1; }},
    {"event", "send", "3", "4", [](ModelView& v) { v.nodes[2].event = 4; }},
    {"offset", "relu", "512", "1024", [](ModelView& v) { v.nodes[1].outputs[0].offset = 1024; }},
    {"size", "relu", "256", "288", [](ModelView& v) { v.nodes[1].outputs[0].size = 288; }},
    {"workspace", "relu", "[1024]", "[]", [](ModelView& v) { v.nodes[1].workspace.clear(); }},
    {"weight", "w", "01ab", "01ac", [](ModelView& v) { v.nodes[0].weight_sha256 = "01ac"; }},
    {"attribute", "relu", "0", "1", [](ModelView& v) { v.nodes[1].attrs["negative_slope"] = "1"; }},
    {"attribute", "relu", "", "x", [](ModelView& v) { v.nodes[1].attrs["mode"] = "x"; }},
};

TEST_CASE("a difference of each kind is told, and no other") {
  const ModelView before = Sample();
  CHECK(DiffModels(before, before).equal());
  for (const Kind& kind : kKinds) {
    INFO(kind.kind << " of " << kind.node);
    ModelView after = Sample();
    kind.change(after);
    const ModelDiff diff = DiffModels(before, after);
    REQUIRE(diff.differences.size() == 1);
    CHECK(diff.differences[0].kind == kind.kind);
    CHECK(diff.differences[0].node == kind.node);
    CHECK(diff.differences[0].a == kind.a);
    CHECK(diff.differences[0].b == kind.b);
    const auto json = nlohmann::json::parse(diff.Json());
    CHECK(json["counts"][kind.kind] == 1);
    CHECK(json["differences"][0]["kind"] == kind.kind);
    CHECK(json["differences"][0]["b"] == kind.b);
    const std::string text = diff.Text();
    CHECK(text.find(kind.kind) != std::string::npos);
    CHECK(text.find(kind.node) != std::string::npos);
    CHECK(text.find(kind.b) != std::string::npos);
    CHECK(DiffModels(after, before).differences.size() == 1);
  }
}

TEST_CASE("the order of nodes and the command line are noted, and make no difference") {
  ModelView after = Sample();
  std::swap(after.nodes[1], after.nodes[2]);
  after.fields["atc_cmdline"] = "atc --model=x";
  const ModelDiff diff = DiffModels(Sample(), after);
  CHECK(diff.equal());
  CHECK(diff.moved == 2);
  REQUIRE(diff.notes.size() == 2);
  CHECK(diff.notes[0].b == "atc --model=x");
  CHECK(diff.notes[1].kind == "order");
  CHECK(diff.notes[1].a == "relu");
  CHECK(nlohmann::json::parse(diff.Json())["notes"].size() == 2);
  CHECK(diff.Text().find("equal") != std::string::npos);
}

ViewedNode Made(const char* type, const char* name, std::vector<std::string> inputs, const char* graph = "") {
  ViewedNode node;
  node.type = type;
  node.name = name;
  node.inputs = std::move(inputs);
  node.graph = graph;
  return node;
}

std::vector<std::array<std::string, 4>> Told(const ModelView& a, const ModelView& b) {
  std::vector<std::array<std::string, 4>> told;
  for (const Difference& d : DiffModels(a, b).differences) told.push_back({d.kind, d.node, d.a, d.b});
  return told;
}

using Lines = std::vector<std::array<std::string, 4>>;

TEST_CASE("renamed nodes are known by what they read and by what reads them") {
  ModelView a, b;
  a.nodes = {Made("Data", "x", {}), Made("Const", "w", {}), Made("Conv2D", "c", {"x:0", "w:0"}),
             Made("Relu", "r", {"c:0"}), Made("NetOutput", "Node_Output", {"r:0"})};
  b.nodes = {Made("Data", "in", {}), Made("Const", "l/w", {}), Made("Conv2D", "l/c", {"in:0", "l/w:0"}),
             Made("Relu", "l/r", {"l/c:0"}), Made("NetOutput", "Node_Output", {"l/r:0"})};
  CHECK(
      Told(a, b) ==
      Lines{{"name", "x", "x", "in"}, {"name", "w", "w", "l/w"}, {"name", "c", "c", "l/c"}, {"name", "r", "r", "l/r"}});
  // Another operand is told beside it.
  b.nodes[3].inputs = {"in:0"};
  CHECK(DiffModels(a, b).Counts() == std::map<std::string, int64_t>{{"input", 1}, {"name", 4}});
}

TEST_CASE("what the compiler numbers is known by its place: one more in front renames the later ones") {
  ModelView a, b;
  a.nodes = {Made("Data", "x", {}), Made("Abs", "p", {"x:0"}), Made("Cast", "trans_Cast_0", {"p:0"}),
             Made("NetOutput", "end", {"trans_Cast_0:0"})};
  b.nodes = {Made("Data", "x", {}), Made("Cast", "trans_Cast_0", {"x:0"}), Made("Abs", "p", {"trans_Cast_0:0"}),
             Made("Cast", "trans_Cast_1", {"p:0"}), Made("NetOutput", "end", {"trans_Cast_1:0"})};
  CHECK(Told(a, b) == Lines{{"node", "trans_Cast_0", "", "Cast"},
                            {"input", "p", "[x:0]", "[trans_Cast_0:0]"},
                            {"name", "trans_Cast_0", "trans_Cast_0", "trans_Cast_1"}});
  CHECK(Told(b, a) == Lines{{"node", "trans_Cast_0", "Cast", ""},
                            {"input", "p", "[trans_Cast_0:0]", "[x:0]"},
                            {"name", "trans_Cast_1", "trans_Cast_1", "trans_Cast_0"}});
}

TEST_CASE("a node that another stands for is not gone") {
  ModelView a, b;
  a.nodes = {Made("Data", "x", {}), Made("Conv2D", "c", {"x:0"}), Made("Relu", "r", {"c:0"}),
             Made("Abs", "y", {"r:0"})};
  b.nodes = {Made("Data", "x", {}),           Made("Conv2D", "c", {"x:0"}),           Made("Abs", "y", {"c:0"}),
             Made("Data", "Data_0", {}, "c"), Made("Conv2D", "c", {"Data_0:0"}, "c"), Made("Relu", "r", {"c:0"}, "c")};
  b.nodes[1].graphs = {"c"};
  for (size_t i = 3; i < b.nodes.size(); ++i) b.nodes[i].fused = true;
  CHECK(Told(a, b) == Lines{{"fused", "r", "Relu", "part of c"},
                            {"fused", "c", "", "[c (Conv2D), r (Relu)]"},
                            {"input", "y", "[r:0]", "[c:0]"}});
  CHECK(Told(b, a) == Lines{{"fused", "r", "part of c", "Relu"},
                            {"fused", "c", "[c (Conv2D), r (Relu)]", ""},
                            {"input", "y", "[c:0]", "[r:0]"}});
}

TEST_CASE("a node that has gone into another graph is not gone") {
  ModelView a, b;
  a.nodes = {Made("Data", "x", {}), Made("Relu", "r", {"x:0"})};
  b.nodes = {Made("Data", "x", {}), Made("PartitionedCall", "p", {"x:0"}), Made("Relu", "r", {}, "part")};
  CHECK(Told(a, b) == Lines{{"graph", "r", "", "part"}, {"node", "p", "", "PartitionedCall"}});
  CHECK(Told(b, a) == Lines{{"graph", "r", "part", ""}, {"node", "p", "PartitionedCall", ""}});
}

TEST_CASE("nodes that bear the name of their graph do not show it twice") {
  CHECK(Made("Abs", "g/n", {}, "g").Key() == "g/n");
  CHECK(Made("Abs", "n", {}, "g").Key() == "g/n");
  CHECK(Made("Abs", "n", {}).Key() == "n");
}

TEST_CASE("names with slashes are not mistaken for those of nested graphs") {
  ModelView a;
  a.nodes = {Made("Abs", "g/n", {}), Made("Neg", "n", {}, "g")};
  CHECK(DiffModels(a, a).equal());
}

TEST_CASE("between stages it counts what only one of them says") {
  ModelView planned = Sample(), before = Sample();
  before.nodes[1].outputs[0].offset = -1;
  before.nodes[0].outputs[0].offset = -1;
  before.placed = false;
  CHECK(DiffModels(before, planned).equal());
  CHECK(DiffModels(before, planned, OneSided::kTold).Counts() == std::map<std::string, int64_t>{{"offset", 2}});
}

TEST_CASE("what one of the models does not say is no difference") {
  ModelView dump = Sample();
  dump.kind = "ge_proto";
  dump.placed = false;
  dump.fields.clear();
  for (ViewedNode& node : dump.nodes) {
    node.weight_sha256.clear();
    for (ViewedTensor& tensor : node.outputs) tensor.offset = -1, tensor.size = 0;
    node.workspace.clear();
  }
  CHECK(DiffModels(Sample(), dump).equal());
  dump.nodes[1].described = false;  // nothing but its wiring is known
  dump.nodes[1].outputs.clear();
  dump.nodes[1].attrs.clear();
  CHECK(DiffModels(Sample(), dump).equal());
}

}  // namespace
}  // namespace atc
