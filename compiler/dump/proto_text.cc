#include <google/protobuf/arena.h>

#include <algorithm>
#include <vector>

#include "compiler/dump/forms.h"
#include "compiler/dump/node_template.h"
#include "compiler/dump/text_writer.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_graph.h"

namespace atc {
namespace {

namespace pb = openatc::ge;
using Attrs = google::protobuf::Map<std::string, pb::AttrDef>;
using List = pb::AttrDef::ListValue;

// By field of OpDef. Attributes stand in "attr { value { ... } }", lists of texts in "list { ... }" there.
const std::vector<GapField> kGapFields = {
    {Gap::kName, "name", 0, false, false},
    {Gap::kInputs, "input", 0, false, false},
    {Gap::kOutputs, "output", 0, false, false},
    {Gap::kSourceNames, "src_name", 0, false, false},
    {Gap::kSourceIndices, "src_index", 0, false, false},
    {Gap::kTargetNames, "dst_name", 0, false, false},
    {Gap::kTargetIndices, "dst_index", 0, false, false},
    {Gap::kId, "id", 0, false, false},
    {Gap::kStream, "stream_id", 0, false, false},
    {Gap::kInputOffsets, "input_i", 0, false, false},
    {Gap::kOutputOffsets, "output_i", 0, false, false},
    {Gap::kConstant, "is_input_const", 0, false, true},
    {Gap::kWorkspace, "workspace", 0, false, false},
    {Gap::kWorkspaceBytes, "workspace_bytes", 0, false, false},
    {Gap::kOrigins, "s", 3, false, false},
    {Gap::kReasons, "s", 3, false, false},
    {Gap::kEngine, "s", 2, false, false},
    {Gap::kFused, "s", 2, false, false},
};
constexpr struct {
  std::string_view name;
  Gap gap;
} kGappedAttrs[] = {{kOriginsAttr, Gap::kOrigins},
                    {kReasonsAttr, Gap::kReasons},
                    {kEngineAttr, Gap::kEngine},
                    {kFusedAttr, Gap::kFused}};

// As protobuf's own printer: fields by number, those that have their default left out, maps sorted by key.
class Printer {
 public:
  explicit Printer(TextWriter& text) : text_(text) {}

  // `gap` is called where what the message says of the node itself and its wiring has its place.
  void Print(const pb::OpDef& op, const NodeWriter::GapFn& gap) {
    gap(Gap::kName);
    Text("type", op.type());
    gap(Gap::kInputs);
    Print(op.attr(), [&](const std::string& name) {
      const auto* attr = std::find_if(std::begin(kGappedAttrs), std::end(kGappedAttrs), [&](const auto& a) { return a.name == name; });
      if (attr == std::end(kGappedAttrs)) return false;
      const bool list = op.attr().at(name).has_list();
      text_.Open("value");
      if (list) text_.Open("list");
      gap(attr->gap);
      if (list) {
        text_.Word("val_type", List::ListValueType_Name(List::VT_LIST_STRING));
        text_.Close();
      }
      text_.Close();
      return true;
    });
    if (op.has_attr_groups()) Empty("attr_groups");
    Number("has_out_attr", op.has_out_attr());
    gap(Gap::kId);
    gap(Gap::kStream);
    Texts("input_name", op.input_name());
    for (const Gap wiring : {Gap::kSourceNames, Gap::kSourceIndices, Gap::kTargetNames, Gap::kTargetIndices,
                             Gap::kInputOffsets, Gap::kOutputOffsets, Gap::kWorkspace, Gap::kWorkspaceBytes, Gap::kConstant}) {
      gap(wiring);
    }
    Messages("input_desc", op.input_desc());
    Messages("output_desc", op.output_desc());
    Texts("subgraph_name", op.subgraph_name());
  }

  // Without operators, which the caller prints between the two halves of the fields.
  void Print(const pb::GraphDef& graph) {
    Text("name", graph.name());
    Texts("input", graph.input());
    Texts("output", graph.output());
    Print(graph.attr());
    if (graph.has_attr_groups()) Empty("attr_groups");
  }

  void Print(const Attrs& attrs) {
    Print(attrs, [](const std::string&) { return false; });
  }

 private:
  // `print_value` prints the value of an attribute, or says that it does not.
  void Print(const Attrs& attrs, auto&& print_value) {
    std::vector<const Attrs::value_type*> sorted;
    sorted.reserve(attrs.size());
    for (const auto& entry : attrs) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    for (const auto* entry : sorted) {
      text_.Open("attr");
      text_.Quoted("key", entry->first);
      if (!print_value(entry->first)) Message("value", entry->second);
      text_.Close();
    }
  }

  void Print(const pb::AttrDef& attr) {
    switch (attr.value_case()) {
      case pb::AttrDef::kList: return Message("list", attr.list());
      case pb::AttrDef::kS: return text_.Quoted("s", attr.s());
      case pb::AttrDef::kI: return text_.Field("i", attr.i());
      case pb::AttrDef::kF: return text_.Field("f", attr.f());
      case pb::AttrDef::kB: return text_.Field("b", attr.b());
      case pb::AttrDef::kBt: return text_.Quoted("bt", attr.bt());
      case pb::AttrDef::kFunc: return Message("func", attr.func());
      case pb::AttrDef::kTd: return Message("td", attr.td());
      case pb::AttrDef::kT: return Message("t", attr.t());
      case pb::AttrDef::kG: return Message("g", attr.g());
      case pb::AttrDef::kListListInt: return Message("list_list_int", attr.list_list_int());
      case pb::AttrDef::kDt: return text_.Field("dt", attr.dt());
      case pb::AttrDef::kListListFloat: return Message("list_list_float", attr.list_list_float());
      case pb::AttrDef::kExpression: return text_.Quoted("expression", attr.expression());
      case pb::AttrDef::VALUE_NOT_SET: return;
    }
  }

  void Print(const List& list) {
    Texts("s", list.s());
    Numbers("i", list.i());
    Numbers("f", list.f());
    Numbers("b", list.b());
    Texts("bt", list.bt());
    Messages("td", list.td());
    Messages("t", list.t());
    Messages("g", list.g());
    Messages("na", list.na());
    Numbers("dt", list.dt());
    if (list.val_type() != 0) Enumerator("val_type", List::ListValueType_Name(list.val_type()), list.val_type());
  }

  void Print(const pb::AttrDef::ListListInt& rows) {
    for (const auto& row : rows.list_list_i()) {
      text_.Open("list_list_i");
      Numbers("list_i", row.list_i());
      text_.Close();
    }
  }

  void Print(const pb::AttrDef::ListListFloat& rows) {
    for (const auto& row : rows.list_list_f()) {
      text_.Open("list_list_f");
      Numbers("list_f", row.list_f());
      text_.Close();
    }
  }

  void Print(const pb::NamedAttrs& named) {
    Text("name", named.name());
    Print(named.attr());
  }

  void Print(const pb::TensorDef& tensor) {
    if (tensor.has_desc()) Message("desc", tensor.desc());
    Text("data", tensor.data());
  }

  void Print(const pb::ShapeDef& shape) { Numbers("dim", shape.dim()); }

  void Print(const pb::TensorDescriptor& desc) {
    Text("name", desc.name());
    if (desc.dtype() != 0) Enumerator("dtype", pb::DataType_Name(desc.dtype()), desc.dtype());
    if (desc.has_shape()) Message("shape", desc.shape());
    Text("layout", desc.layout());
    Print(desc.attr());
    if (desc.has_attr_groups()) Empty("attr_groups");
    Number("has_out_attr", desc.has_out_attr());
    Number("size", desc.size());
    Number("weight_size", desc.weight_size());
    Number("reuse_input", desc.reuse_input());
    Number("output_tensor", desc.output_tensor());
    Text("device_type", desc.device_type());
    Number("input_tensor", desc.input_tensor());
    Number("real_dim_cnt", desc.real_dim_cnt());
    Number("reuse_input_index", desc.reuse_input_index());
    Number("data_offset", desc.data_offset());
    Number("cmps_size", desc.cmps_size());
    Text("cmps_tab", desc.cmps_tab());
    Number("cmps_tab_offset", desc.cmps_tab_offset());
  }

  void Text(std::string_view field, const std::string& value) {
    if (!value.empty()) text_.Quoted(field, value);
  }
  void Texts(std::string_view field, const auto& values) {
    for (const std::string& value : values) text_.Quoted(field, value);
  }
  void Number(std::string_view field, auto value) {
    if (value != decltype(value){}) text_.Field(field, value);
  }
  void Numbers(std::string_view field, const auto& values) {
    for (const auto value : values) text_.Field(field, value);
  }
  // Numbers without a name stand as such.
  void Enumerator(std::string_view field, const std::string& name, int number) {
    name.empty() ? text_.Field(field, number) : text_.Word(field, name);
  }
  void Message(std::string_view field, const auto& message) {
    text_.Open(field);
    Print(message);
    text_.Close();
  }
  void Messages(std::string_view field, const auto& messages) {
    for (const auto& message : messages) Message(field, message);
  }
  void Empty(std::string_view field) {
    text_.Open(field);
    text_.Close();
  }

  TextWriter& text_;
};

constexpr int kModelVersion = 2;

// Printed operator by operator, so that with all values in it no more than one constant is in memory.
class ModelPrinter {
 public:
  ModelPrinter(const GraphList& graphs, int detail, ByteSink& out, NodeTemplates* templates)
      : graphs_(graphs), detail_(detail), templates_(templates), text_(out), nodes_(graphs, kGapFields, 0, text_) {}

  void Print() {
    Printer printer(text_);
    text_.Quoted("name", graphs_.all()[0].name);
    text_.Field("version", kModelVersion);
    for (const ListedGraph& listed : graphs_.all()) {
      text_.Open("graph");
      pb::GraphDef before;
      pb::GraphDef after;
      GraphFieldsToProto(listed, &before, &after);
      printer.Print(before);
      nodes_.BeginGraph(listed);
      for (const NodeId id : listed.order) {
        const Node& node = listed.graph->node(id);
        text_.Open("op");
        nodes_.Write(node, detail_, templates_, [&](TextWriter& text, const auto& gap) { PrintOp(listed, node, text, gap); });
        text_.Close();
      }
      printer.Print(after);
      text_.Close();
    }
    text_.Flush();
  }

 private:
  void PrintOp(const ListedGraph& listed, const Node& node, TextWriter& text, const NodeWriter::GapFn& gap) {
    auto* op = google::protobuf::Arena::CreateMessage<pb::OpDef>(&arena_);
    ToProto(graphs_, listed, node, {.drop_values = detail_ > 1}, op);
    Printer(text).Print(*op, gap);
    arena_.Reset();
  }

  const GraphList& graphs_;
  const int detail_;
  NodeTemplates* templates_;
  TextWriter text_;
  NodeWriter nodes_;
  google::protobuf::Arena arena_;  // of the message of one node
};

}  // namespace

void WriteProtoText(const GraphList& graphs, int detail, ByteSink& out, NodeTemplates* templates) {
  ModelPrinter(graphs, detail, out, templates).Print();
}

void WriteProtoText(const GraphList& graphs, int detail, ByteSink& out) {
  NodeTemplates templates;
  WriteProtoText(graphs, detail, out, &templates);
}

}  // namespace atc
