#include "compiler/om/model_view_onnx.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "compiler/io/sha256.h"
#include "compiler/io/utf8.h"
#include "compiler/om/proto/ge_onnx.pb.h"
#include "compiler/om/text_message.h"

namespace atc {
namespace {

namespace pb = openatc::ge_onnx;
using Attrs = std::map<std::string_view, const pb::AttributeProto*>;

constexpr std::string_view kControlSuffix = ":-1";
constexpr std::string_view kTypePrefix = "ge:";

int64_t Int(const Attrs& attrs, const std::string& name, int64_t fallback) {
  const auto found = attrs.find(name);
  return found == attrs.end() ? fallback : found->second->i();
}

std::string Text(const Attrs& attrs, const std::string& name) {
  const auto found = attrs.find(name);
  return found == attrs.end() ? "" : EscapeInvalidUtf8(found->second->s());
}

std::vector<int64_t> Ints(const Attrs& attrs, const std::string& name) {
  const auto found = attrs.find(name);
  if (found == attrs.end()) return {};
  return {found->second->ints().begin(), found->second->ints().end()};
}

// Nodes with many ports describe each by a text of its own.
ViewedTensor FromJson(const std::string& text) {
  ViewedTensor tensor;
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return tensor;
  const auto word = [&](const char* key) { return json.value(key, std::string()); };
  try {
    tensor.dtype = word("dtype");
    tensor.format = word("layout");
    tensor.origin_format = word("origin_layout");
    tensor.shape = json.value("shape", std::vector<int64_t>());
    tensor.origin_shape = json.value("origin_shape", std::vector<int64_t>());
    tensor.size = json.value("size", int64_t{0});
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return tensor;
}

ViewedTensor TensorOf(const Attrs& attrs, int64_t i) {
  const std::string number = std::to_string(i);
  if (const auto whole = attrs.find("output_desc_" + number); whole != attrs.end()) return FromJson(whole->second->s());
  const auto key = [&](const char* field) { return std::string("output_desc_") + field + ":" + number; };
  ViewedTensor tensor;
  tensor.dtype = Text(attrs, key("dtype"));
  tensor.format = Text(attrs, key("layout"));
  tensor.origin_format = Text(attrs, key("origin_layout"));
  tensor.shape = Ints(attrs, key("shape"));
  tensor.origin_shape = Ints(attrs, key("origin_shape"));
  tensor.size = Int(attrs, key("size"), 0);
  return tensor;
}

ViewedNode NodeOf(const pb::NodeProto& from, const std::string& graph) {
  ViewedNode node;
  node.name = from.name();
  node.type = from.op_type().substr(from.op_type().starts_with(kTypePrefix) ? kTypePrefix.size() : 0);
  node.graph = graph;
  for (const std::string& input : from.input()) {
    if (std::string_view(input).ends_with(kControlSuffix)) {
      node.control.push_back(input.substr(0, input.size() - kControlSuffix.size()));
    } else {
      node.inputs.push_back(input);
    }
  }
  Attrs attrs;
  for (const pb::AttributeProto& attr : from.attribute()) attrs.emplace(attr.name(), &attr);
  node.valued = node.type == "Const" || node.type == "Constant";
  node.described = !attrs.empty();
  if (!node.described) return node;
  node.stream = Int(attrs, "stream_id", -1);
  node.event = Int(attrs, "event_id", -1);
  node.workspace = Ints(attrs, "workspace");
  const std::vector<int64_t> offsets = Ints(attrs, "output_i");
  // A damaged count is no reason to ask for memory without end: each output is told of by attributes.
  const int64_t outputs = std::clamp<int64_t>(Int(attrs, "output_desc_nums", 0), 0, from.attribute_size());
  for (int64_t i = 0; i < outputs; ++i) {
    node.outputs.push_back(TensorOf(attrs, i));
    if (static_cast<size_t>(i) < offsets.size()) node.outputs.back().offset = offsets[static_cast<size_t>(i)];
  }
  const auto value = attrs.find("value_data");
  if (node.valued && value != attrs.end()) {
    const std::string& bytes = value->second->s();
    node.weight_sha256 = Sha256Hex({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
  }
  return node;
}

// Without texts, at the lower levels of detail, a fused graph is known by its name: it is that of its owner.
void FindFused(ModelView* view) {
  std::map<std::string_view, std::vector<ViewedNode*>> nested;  // by graph
  for (ViewedNode& node : view->nodes) {
    if (!node.graph.empty()) nested[node.graph].push_back(&node);
  }
  for (ViewedNode& node : view->nodes) {
    const auto graph = nested.find(node.name);
    if (graph == nested.end() || node.graph == node.name) continue;
    node.graphs = {node.name};
    for (ViewedNode* member : graph->second) member->fused = true;
    nested.erase(graph);
  }
}

void AddGraph(const pb::GraphProto& graph, const std::string& name, ModelView* view) {
  for (const pb::NodeProto& node : graph.node()) {
    if (node.op_type() != "subgraph") {
      view->nodes.push_back(NodeOf(node, name));
      continue;
    }
    for (const pb::AttributeProto& attr : node.attribute()) {
      if (attr.has_g()) AddGraph(attr.g(), node.name(), view);
    }
  }
}

}  // namespace

ModelView ViewOnnxText(const std::string& path) {
  pb::ModelProto model;
  ReadTextMessage(path, &model);
  if (!model.has_graph()) throw NoGraph(path);
  ModelView view;
  view.kind = "ge_onnx";
  AddGraph(model.graph(), "", &view);
  FindFused(&view);
  view.placed = std::any_of(view.nodes.begin(), view.nodes.end(), [](const ViewedNode& node) {
    return std::any_of(node.outputs.begin(), node.outputs.end(), [](const auto& tensor) { return tensor.offset >= 0; });
  });
  return view;
}

}  // namespace atc
