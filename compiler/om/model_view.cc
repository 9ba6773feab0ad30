#include "compiler/om/model_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "compiler/io/mapped_file.h"
#include "compiler/io/sha256.h"
#include "compiler/io/utf8.h"
#include "compiler/om/attr_expansion.h"
#include "compiler/om/container.h"
#include "compiler/om/model_view_onnx.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/proto_graph.h"
#include "compiler/om/serialize.h"
#include "compiler/om/text_message.h"

namespace atc {
namespace {

namespace pb = openatc::ge;

constexpr std::string_view kControlSuffix = ":-1";
constexpr size_t kLongest = 256;  // bytes of an attribute that are shown; of longer ones the hash

using Bytes = std::span<const std::byte>;

Bytes BytesOf(std::string_view text) { return {reinterpret_cast<const std::byte*>(text.data()), text.size()}; }

std::string Short(std::string text) {
  return text.size() <= kLongest ? text : fmt::format("{} bytes, SHA-256 {}", text.size(), Sha256Hex(BytesOf(text)));
}

std::vector<int64_t> Ints(const auto& field) { return {field.begin(), field.end()}; }

std::string Joined(const auto& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string ListText(const pb::AttrDef::ListValue& list) {
  if (list.s_size() > 0) {
    std::vector<std::string> texts;
    for (const std::string& text : list.s()) texts.push_back(EscapeInvalidUtf8(text));
    return Joined(texts);
  }
  if (list.f_size() > 0) return Joined(list.f());
  if (list.b_size() > 0) return Joined(Ints(list.b()));
  return list.i_size() > 0 ? Joined(list.i()) : Joined(list.dt());
}

std::string AttrText(const pb::AttrDef& attr) {
  switch (attr.value_case()) {
    case pb::AttrDef::kI: return fmt::format("{}", attr.i());
    case pb::AttrDef::kB: return attr.b() ? "1" : "0";
    case pb::AttrDef::kF: return fmt::format("{}", attr.f());
    case pb::AttrDef::kS: return Short(EscapeInvalidUtf8(attr.s()));
    case pb::AttrDef::kDt: return std::string(DataTypeName(DataTypeFromGeProto(static_cast<int>(attr.dt()))));
    case pb::AttrDef::kList: return Short(ListText(attr.list()));
    case pb::AttrDef::kListListInt: {
      std::vector<std::string> rows;
      for (const auto& row : attr.list_list_int().list_list_i()) rows.push_back(Joined(row.list_i()));
      return Short(Joined(rows));
    }
    case pb::AttrDef::VALUE_NOT_SET: return "";
    // Kinds without a short text are equal where their bytes are.
    default: return Sha256Hex(BytesOf(Serialize(attr, "attribute")));
  }
}

ViewedTensor TensorOf(const pb::TensorDescriptor& desc) {
  ViewedTensor tensor;
  tensor.dtype = DataTypeName(GetDataType(desc));
  tensor.format = desc.layout();
  tensor.shape = Ints(desc.shape().dim());
  const auto format = desc.attr().find("origin_format");
  tensor.origin_format = format == desc.attr().end() ? desc.layout() : format->second.s();
  const auto shape = desc.attr().find("origin_shape");
  tensor.origin_shape = shape == desc.attr().end() ? tensor.shape : Ints(shape->second.list().i());
  tensor.size = desc.size();
  return tensor;
}

// Attributes that say in another place what a view holds in a field, or who made a choice rather than which.
bool IsShown(std::string_view name) { return !IsDerivedOpAttr(name) || name == kEngineAttr; }

// The elements of a constant: in the message, else in the weights; what a dump has left out has no hash.
std::string WeightHash(const pb::TensorDef& tensor, Bytes weights) {
  if (!tensor.data().empty()) return Sha256Hex(BytesOf(tensor.data()));
  const auto offset = static_cast<uint64_t>(tensor.desc().data_offset());
  const auto size = static_cast<uint64_t>(tensor.desc().weight_size());
  if (size == 0 || offset > weights.size() || size > weights.size() - offset) return "";
  return Sha256Hex(weights.subspan(offset, size));
}

ViewedNode NodeOf(const pb::OpDef& op, std::string graph, Bytes weights) {
  ViewedNode node;
  node.name = op.name();
  node.type = op.type();
  node.graph = std::move(graph);
  for (const std::string& input : op.input()) {
    if (std::string_view(input).ends_with(kControlSuffix)) {
      node.control.push_back(input.substr(0, input.size() - kControlSuffix.size()));
    } else {
      node.inputs.push_back(input);
    }
  }
  for (int i = 0; i < op.output_desc_size(); ++i) {
    ViewedTensor tensor = TensorOf(op.output_desc(i));
    if (i < op.output_i_size()) tensor.offset = op.output_i(i);
    node.outputs.push_back(std::move(tensor));
  }
  node.stream = op.stream_id();
  node.graphs = {op.subgraph_name().begin(), op.subgraph_name().end()};
  if (const auto fused = op.attr().find(kFusedAttr); fused != op.attr().end()) node.graphs.push_back(fused->second.s());
  node.workspace = Ints(op.workspace());
  node.valued = op.type() == "Const" || op.type() == "Constant";
  for (const auto& [name, attr] : op.attr()) {
    if (node.valued && name == "value") {
      node.weight_sha256 = WeightHash(attr.t(), weights);
    } else if (name == "event_id") {
      node.event = attr.i();
    } else if (IsShown(name)) {
      node.attrs[name] = AttrText(attr);
    }
  }
  return node;
}

// Names of the graphs that fused nodes stand for, once all nodes are there: `fused`.
void Finish(const std::set<std::string>& fused, ModelView* view) {
  for (ViewedNode& node : view->nodes) node.fused = fused.contains(node.graph);
  view->placed = std::any_of(view->nodes.begin(), view->nodes.end(), [](const ViewedNode& node) {
    return std::any_of(node.outputs.begin(), node.outputs.end(), [](const auto& tensor) { return tensor.offset >= 0; });
  });
}

void NoteFused(const pb::OpDef& op, std::set<std::string>* fused) {
  if (const auto name = op.attr().find(kFusedAttr); name != op.attr().end()) fused->insert(name->second.s());
}

ModelView ViewOf(const pb::ModelDef& model, Bytes weights) {
  ModelView view;
  for (const auto& [name, attr] : model.attr()) {
    // The command line is of interest however long.
    view.fields[name] = attr.value_case() == pb::AttrDef::kS ? EscapeInvalidUtf8(attr.s()) : AttrText(attr);
  }
  std::set<std::string> fused;
  for (int i = 0; i < model.graph_size(); ++i) {
    const pb::GraphDef& graph = model.graph(i);
    for (const pb::OpDef& op : graph.op()) {
      view.nodes.push_back(NodeOf(op, i == 0 ? "" : graph.name(), weights));
      NoteFused(op, &fused);
    }
  }
  Finish(fused, &view);
  return view;
}

ModelView ViewOm(const Buffer& file, const std::string& path) {
  const OmContainer om = ParseContainer({file.data, file.size}, path);
  const Partition* model_def = om.Find(PartitionType::kModelDef);
  if (model_def == nullptr) {
    throw DamagedOm(path, kOmHeaderBytes, "a table without partition 0; expected the graph there");
  }
  pb::ModelDef model;
  if (!Parse({reinterpret_cast<const char*>(file.data) + model_def->offset, model_def->size}, &model)) {
    throw DamagedOm(path, model_def->offset, "bytes that are no graph; expected a ModelDef message");
  }
  try {
    ExpandAttributes(&model);
  } catch (const BadMessage& bad) {
    throw DamagedOm(path, model_def->offset, bad.what);
  }
  const Partition* weights = om.Find(PartitionType::kWeights);
  ModelView view = ViewOf(model, weights ? Bytes(file.data + weights->offset, weights->size) : Bytes());
  view.kind = "om";
  return view;
}

// The first word of a text, after blanks and comments.
std::string_view FirstWord(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('#')) break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return text.substr(0, std::min(text.find_first_of(" \t\r\n:{("), text.size()));
}

}  // namespace

ModelView ViewFile(const std::string& path) {
  const Buffer file = MapFile(path);
  const std::string_view text(reinterpret_cast<const char*>(file.data), file.size);
  ModelView view;
  if (text.starts_with("IMOD")) {
    view = ViewOm(file, path);
  } else if (const std::string_view word = FirstWord(text); word == "ir_version") {
    view = ViewOnnxText(path);
  } else if (word == "name" || word == "version" || word == "graph" || word.empty()) {
    if (text.find("graph(\"") == 0) {
      throw Error("E13018",
                  {{"protofile", path}, {"reason", "ge_readable_*.txt is for people and cannot be read back"}},
                  "Give an om, ge_proto_*.txt or ge_onnx_*.pbtxt: DUMP_GRAPH_FORMAT=\"ge_proto|onnx\" writes them.");
    }
    pb::ModelDef model;
    ReadTextMessage(path, &model);
    if (model.graph_size() == 0) throw NoGraph(path);
    view = ViewOf(model, {});
    view.kind = "ge_proto";
  } else {
    throw Error("E13018", {{"protofile", path}, {"reason", "it is no om and no dump of a graph"}},
                "Give an om, ge_proto_*.txt or ge_onnx_*.pbtxt.");
  }
  view.source = path;
  return view;
}

// One message serves all nodes: a message of the whole graph takes several times as long to make and to free.
ModelView ViewGraph(const Graph& graph) {
  const GraphList graphs(graph);
  ModelView view;
  view.kind = "graph";
  std::set<std::string> fused;
  pb::OpDef op;
  for (const ListedGraph& listed : graphs.all()) {
    const std::string name = listed.graph == &graph ? "" : listed.name;
    for (const NodeId id : listed.order) {
      op.Clear();
      ToProto(graphs, listed, listed.graph->node(id), {.drop_values = true}, &op);
      view.nodes.push_back(NodeOf(op, name, {}));
      NoteFused(op, &fused);
    }
  }
  Finish(fused, &view);
  return view;
}

}  // namespace atc
