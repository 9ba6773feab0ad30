#include "compiler/om/proto_graph.h"

#include <algorithm>

#include "compiler/io/utf8.h"
#include "compiler/om/external_weights.h"
#include "compiler/om/op_wiring.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/ir/device_slot.h"
#include "compiler/ir/port_names.h"

namespace atc {
namespace {

namespace pb = openatc::ge;
using AttrMessages = google::protobuf::Map<std::string, pb::AttrDef>;

constexpr std::string_view kDerived[] = {
    kOriginsAttr,     kFusedAttr,         kEngineAttr,          "_input_name_key", "_input_name_value",
    "_ir_attr_names", "_ir_inputs_key",   "_ir_inputs_value",   "_ir_outputs_key", "_ir_outputs_value",
    "_opt_input",     "_output_name_key", "_output_name_value", kReasonsAttr,      kSpreadAttr,
    kSubgraphNamesAttr,
};
// Whole definitions as text; a dump without data is to be small.
constexpr std::string_view kDefinitions[] = {"func_def", "node_def", "op_def"};

bool Contains(const auto& sorted, std::string_view name) {
  return std::find(std::begin(sorted), std::end(sorted), name) != std::end(sorted);
}

void SetStrings(const char* name, std::vector<std::string> values, AttrMessages* attrs) {
  if (!values.empty()) ToProto(AttrValue(std::move(values)), &(*attrs)[name]);
}

void SetInts(const char* name, std::vector<int64_t> values, AttrMessages* attrs) {
  if (!values.empty()) ToProto(AttrValue(std::move(values)), &(*attrs)[name]);
}

// "operator:output", as inputs name it.
std::string SourceName(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return EscapeInvalidUtf8(graph.node(value.producer).name) + ":" + std::to_string(value.index);
}

class OpWriter {
 public:
  OpWriter(const GraphList& graphs, const ListedGraph& listed, const Node& node, const GraphProtoOptions& options,
           pb::OpDef* to)
      : graphs_(graphs), listed_(listed), graph_(*listed.graph), node_(node), options_(options), to_(to) {}

  void Write() {
    to_->set_name(EscapeInvalidUtf8(node_.name));
    to_->set_type(ExternalPlace() ? kFileConstant : EscapeInvalidUtf8(node_.type().str()));
    to_->set_id(listed_.first_id + listed_.place[node_.id]);
    to_->set_stream_id(node_.stream);
    Wiring();
    Descs();
    to_->mutable_workspace()->Add(node_.workspace_offset.begin(), node_.workspace_offset.end());
    to_->mutable_workspace_bytes()->Add(node_.workspace_bytes.begin(), node_.workspace_bytes.end());
    Attributes();
    PortNames();
    Nested();
  }

 private:
  // Where the constant lies outside of the om; null for what does not.
  const ExternalWeights::Place* ExternalPlace() const {
    if (options_.external == nullptr || node_.type() != "Const") return nullptr;
    const int64_t offset = options_.weights->Find(graph_, node_.id).offset;
    return offset == 0 ? nullptr : &options_.external->Find(offset);
  }

  void Desc(const Value& value, const TensorDesc& desc, pb::TensorDescriptor* to) const {
    ToProto(desc, to);
    to->set_size(value.size);
    to->set_real_dim_cnt(static_cast<int64_t>(desc.shape.rank()));
    if (options_.weights && IsConstantValue(graph_, value)) {
      to->set_data_offset(OffsetInFile(graph_, value, options_.weights));
    }
  }

  // One that is absent has a name and a desc of nothing.
  void Wiring() {
    OpWiring wiring;
    wiring.Find(listed_, node_, options_.weights);
    for (const auto& [from, index] : wiring.inputs) {
      if (from == kNoId) {
        to_->add_input();
        continue;
      }
      const std::string source = EscapeInvalidUtf8(graph_.node(from).name);
      to_->add_input(source + ":" + std::to_string(index));
      to_->add_src_name(source);
      to_->add_src_index(index);
    }
    for (const auto& [user, index] : wiring.targets) {
      to_->add_dst_name(EscapeInvalidUtf8(graph_.node(user).name));
      to_->add_dst_index(index);
    }
    to_->mutable_input_i()->Add(wiring.input_offsets.begin(), wiring.input_offsets.end());
    to_->mutable_output_i()->Add(wiring.output_offsets.begin(), wiring.output_offsets.end());
    to_->mutable_is_input_const()->Add(wiring.constant.begin(), wiring.constant.end());
  }

  void Descs() {
    const bool prepares = node_.attrs.Find(kPreparedFormats) != nullptr;
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const ValueId id = node_.inputs[i];
      if (id == kNoId) {
        to_->add_input_desc()->mutable_shape();
      } else if (prepares) {
        Desc(graph_.value(id), InputDesc(graph_, node_, i), to_->add_input_desc());
      } else {
        Desc(graph_.value(id), graph_.desc(id), to_->add_input_desc());
      }
    }
    for (const ValueId id : node_.outputs) Desc(graph_.value(id), graph_.desc(id), to_->add_output_desc());
  }

  void Attributes() {
    AttrMessages& attrs = *to_->mutable_attr();
    const bool constant = node_.type() == "Const";
    for (const auto& [name, value] : node_.attrs) {
      if (IsDerivedOpAttr(name)) continue;
      if (constant && name == "value" && ExternalPlace()) {
        FileAttributes(*ExternalPlace(), &attrs);
        continue;
      }
      if (options_.drop_values && ((constant && name == "value") || Contains(kDefinitions, name))) continue;
      pb::AttrDef& attr = attrs[EscapeInvalidUtf8(name.str())];
      if (constant && name == "value" && options_.weights) {
        Weight(attr.mutable_t());
      } else {
        ToProto(value, &attr);
      }
    }
    if (constant && options_.weights) Spread(&attrs);
    SetStrings(kOriginsAttr, graphs_.origins().Flatten(node_.origin), &attrs);
    if (!node_.engine.empty()) attrs[kEngineAttr].set_s(node_.engine);
    std::vector<std::string> reasons;
    for (const Reason& reason : node_.reasons) reasons.push_back(reason.aspect.str() + ": " + reason.rule);
    SetStrings(kReasonsAttr, std::move(reasons), &attrs);
  }

  void FileAttributes(const ExternalWeights::Place& place, AttrMessages* attrs) const {
    const PlacedConstant& constant = options_.weights->Find(graph_, node_.id);
    ToProto(AttrValue(place.location), &(*attrs)[kLocationAttr]);
    ToProto(AttrValue(place.offset), &(*attrs)[kOffsetAttr]);
    ToProto(AttrValue(constant.bytes), &(*attrs)[kLengthAttr]);
    ToProto(AttrValue(constant.shape.dims()), &(*attrs)[kShapeAttr]);
    ToProto(AttrValue(constant.dtype), &(*attrs)[kDtypeAttr]);
  }

  void Spread(AttrMessages* attrs) const {
    const PlacedConstant& place = options_.weights->Find(graph_, node_.id);
    if (place.offset != 0 && !(place.shape == place.spread)) ToProto(AttrValue(place.spread.dims()), &(*attrs)[kSpreadAttr]);
  }

  void Weight(pb::TensorDef* to) const {
    const PlacedConstant& place = options_.weights->Find(graph_, node_.id);
    if (place.offset == 0 && place.dtype != DT_UNDEFINED) {
      ToProto(*node_.attrs.FindAs<Tensor>("value"), to);
      return;
    }
    ToProtoDesc(place.dtype, place.shape, to->mutable_desc());
    to->mutable_desc()->set_layout(std::string(FormatName(FORMAT_ND)));
    to->mutable_desc()->set_data_offset(place.offset);
    to->mutable_desc()->set_weight_size(place.bytes);
  }

  // How the definition names the ports, for whoever reads the file without our definitions.
  void PortNames() {
    AttrMessages& attrs = *to_->mutable_attr();
    const OpDef& def = *node_.def;
    std::vector<std::string> names;
    std::vector<int64_t> numbers;
    const auto name_ports = [&](size_t count, auto&& name, const char* key, const char* value) {
      names.clear();
      numbers.clear();
      for (size_t i = 0; i < count; ++i) {
        names.push_back(name(i));
        numbers.push_back(static_cast<int64_t>(i));
      }
      SetStrings(key, names, &attrs);
      SetInts(value, numbers, &attrs);
    };
    const std::vector<std::string> inputs = InputPortNames(node_);
    name_ports(inputs.size(), [&](size_t i) { return inputs[i]; }, "_input_name_key", "_input_name_value");
    for (const std::string& name : names) to_->add_input_name(EscapeInvalidUtf8(name));
    name_ports(
        node_.outputs.size(), [&](size_t i) { return def.OutputName(i); }, "_output_name_key", "_output_name_value");
    const auto declared = [&](const std::vector<IoDef>& ports, const char* key, const char* value) {
      names.clear();
      numbers.clear();
      for (const IoDef& port : ports) {
        names.push_back(port.name.str());
        numbers.push_back(static_cast<int64_t>(port.kind));
      }
      SetStrings(key, names, &attrs);
      SetInts(value, numbers, &attrs);
    };
    declared(def.inputs, "_ir_inputs_key", "_ir_inputs_value");
    declared(def.outputs, "_ir_outputs_key", "_ir_outputs_value");
    names.clear();
    for (const IoDef& port : def.inputs) {
      if (port.kind == IoKind::kOptional) names.push_back(port.name.str());
    }
    SetStrings("_opt_input", names, &attrs);
    names.clear();
    for (const AttrDef& attr : def.attrs) names.push_back(attr.name.str());
    SetStrings("_ir_attr_names", names, &attrs);
  }

  void Nested() {
    AttrMessages& attrs = *to_->mutable_attr();
    std::vector<std::string> names;
    for (const Subgraph& subgraph : node_.subgraphs) {
      to_->add_subgraph_name(graphs_.NameOf(*subgraph.graph));
      names.push_back(subgraph.name.str());
    }
    SetStrings(kSubgraphNamesAttr, std::move(names), &attrs);
    if (node_.fused) attrs[kFusedAttr].set_s(graphs_.NameOf(*node_.fused));
  }

  const GraphList& graphs_;
  const ListedGraph& listed_;
  const Graph& graph_;
  const Node& node_;
  const GraphProtoOptions& options_;
  pb::OpDef* to_;
};

// All origins that nodes of these graphs have, in the order of the source.
std::vector<std::string> OriginOrder(const GraphList& graphs) {
  const Graph& root = *graphs.all()[0].graph;
  OriginTable table = root.origins();  // a copy: the union is of no interest to the graph
  OriginId all = kNoOrigin;
  std::vector<bool> seen;
  for (const ListedGraph& listed : graphs.all()) {
    for (const NodeId id : listed.order) {
      const OriginId origin = listed.graph->node(id).origin;
      if (origin >= seen.size()) seen.resize(origin + 1);
      if (seen[origin]) continue;
      seen[origin] = true;
      all = table.Union(all, origin);
    }
  }
  return table.Flatten(all);
}

}  // namespace

bool IsDerivedOpAttr(std::string_view name) { return Contains(kDerived, name); }

void ToProto(const GraphList& graphs, const ListedGraph& listed, const Node& node, const GraphProtoOptions& options,
             pb::OpDef* to) {
  OpWriter(graphs, listed, node, options, to).Write();
}

void GraphFieldsToProto(const ListedGraph& listed, pb::GraphDef* before, pb::GraphDef* after) {
  const Graph& graph = *listed.graph;
  before->set_name(listed.name);
  for (const NodeId id : graph.Inputs()) before->add_input(EscapeInvalidUtf8(graph.node(id).name));
  if (const Node* net_output = graph.NetOutput()) {
    for (const ValueId id : net_output->inputs) before->add_output(id == kNoId ? "" : SourceName(graph, id));
  }
  for (const auto& [name, value] : graph.attrs) {
    ToProto(value, &(*after->mutable_attr())[EscapeInvalidUtf8(name.str())]);
  }
}

void ToProto(const GraphList& graphs, const GraphProtoOptions& options, pb::ModelDef* to) {
  for (const ListedGraph& listed : graphs.all()) {
    pb::GraphDef& message = *to->add_graph();
    GraphFieldsToProto(listed, &message, &message);
    for (const NodeId id : listed.order) ToProto(graphs, listed, listed.graph->node(id), options, message.add_op());
  }
  SetStrings(kOriginOrderAttr, OriginOrder(graphs), to->mutable_graph(0)->mutable_attr());
}

}  // namespace atc
