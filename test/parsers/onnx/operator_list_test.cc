// What --list_ops says, against the models of the ONNX backend suite: every operator of theirs is listed, and becomes
// one of the AscendIR operators that are listed for it.
#include "parsers/onnx/operator_list.h"

#include <onnx/onnx_pb.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compiler/ir/error.h"
#include "compiler/ir/op_def.h"
#include "parsers/onnx/parser.h"

namespace atc {
namespace {

namespace fs = std::filesystem;
using Key = std::pair<std::string, std::string>;

std::map<Key, ListedOperator> Listed() {
  std::map<Key, ListedOperator> all;
  for (ListedOperator& op : ListOnnxOperators()) {
    const Key key{op.domain, op.type};
    all.emplace(key, std::move(op));
  }
  return all;
}

std::vector<fs::path> Models() {
  std::vector<fs::path> models;
  const char* more = std::getenv("OPENATC_BACKEND_CASES");  // the folder of another suite
  for (const fs::path& root : {fs::path("/usr/share/libonnx-testdata/data"), fs::path(more ? more : "/nowhere")}) {
    if (!fs::is_directory(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().filename() == "model.onnx") models.push_back(entry.path());
    }
  }
  return models;
}

TEST_CASE("operators become what is listed for them") {
  const std::vector<fs::path> models = Models();
  if (models.empty()) {
    WARN("SKIPPED: no Debian package libonnx-testdata");
    return;
  }
  const std::map<Key, ListedOperator> listed = Listed();
  std::map<std::string, std::set<std::string>> missing;
  size_t seen = 0;
  for (const fs::path& path : models) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    onnx::ModelProto model;
    if (!model.ParseFromString(bytes.str())) continue;
    std::unique_ptr<Graph> graph;
    try {
      graph = ParseOnnxBytes(path.string(), bytes.str(), CompileOptions(), nullptr);
    } catch (const Error&) {
      continue;  // the suite's own test tells
    }
    std::set<Key> functions;
    for (const auto& function : model.functions()) functions.emplace(function.domain(), function.name());
    for (int i = 0; i < model.graph().node_size(); ++i) {
      const onnx::NodeProto& node = model.graph().node(i);
      if (functions.contains({node.domain(), node.op_type()})) continue;
      const auto op = listed.find({node.domain().empty() ? "ai.onnx" : node.domain(), node.op_type()});
      INFO(path << " " << node.op_type());
      REQUIRE(op != listed.end());
      const Node* made = graph->Find(node.name().empty() ? node.op_type() + "_" + std::to_string(i) : node.name());
      if (made == nullptr) continue;  // a constant of another name, or an output that nobody asked for
      ++seen;
      const std::vector<std::string>& names = op->second.becomes;
      // One spatial axis, and dims that an operator keeps, stand between these.
      if (made->type() == "Squeeze" || made->type() == "Unsqueeze") continue;
      if (std::find(names.begin(), names.end(), made->type().str()) == names.end()) {
        missing[node.op_type()].insert(made->type().str());
      }
    }
  }
  CHECK(seen > 1000);
  for (const auto& [type, names] : missing) {
    for (const std::string& name : names) FAIL_CHECK("ascend_names.cc lacks " << type << " " << name);
  }
}

TEST_CASE("what is listed is complete and exists") {
  for (const auto& [key, op] : Listed()) {
    INFO(op.domain << " " << op.type);
    CHECK_FALSE(op.versions.empty());
    CHECK_FALSE(op.becomes.empty());
    for (const std::string& name : op.becomes) {
      INFO(name);
      CHECK(OpRegistry::Get().Find(name) != nullptr);
    }
  }
}

}  // namespace
}  // namespace atc
