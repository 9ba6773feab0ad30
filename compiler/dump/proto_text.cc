#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/dump/forms.h"
#include "compiler/dump/node_writer.h"
#include "compiler/dump/text_writer.h"
#include "compiler/io/utf8.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/proto_graph.h"

namespace atc {
namespace {

namespace pb = openatc::ge;
using Attrs = google::protobuf::Map<std::string, pb::AttrDef>;
using List = pb::AttrDef::ListValue;

// As protobuf's own printer: fields by number, those that have their default left out, maps sorted by key.
class Printer {
 public:
  explicit Printer(TextWriter& text) : text_(text) {}

  // `gap` is called where what the message says of the node itself and its wiring has its place.
  void Print(const pb::OpDef& op, const GapFn& gap) {
    gap(Gap::kName);
    Text("type", op.type());
    gap(Gap::kInputs);
    Print(op.attr(), [&](const std::string& name) {
      const std::optional<Gap> whole = GapOfAttr(name);
      if (whole) gap(*whole);
      return whole.has_value();
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

  void Print(const Attrs& attrs) {
    Print(attrs, [](const std::string&) { return false; });
  }

 private:
  // `print_attr` prints the attribute, or says that it does not.
  void Print(const Attrs& attrs, auto&& print_attr) {
    std::vector<const Attrs::value_type*> sorted;
    sorted.reserve(attrs.size());
    for (const auto& entry : attrs) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    for (const auto* entry : sorted) {
      if (print_attr(entry->first)) continue;
      text_.Open("attr");
      text_.Quoted("key", entry->first);
      Message("value", entry->second);
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
      case pb::AttrDef::kListListInt: return Message("list_list_int", attr.list_list_int());
      case pb::AttrDef::kDt: return text_.Field("dt", attr.dt());
      case pb::AttrDef::kListListFloat: return Message("list_list_float", attr.list_list_float());
      case pb::AttrDef::kExpression: return text_.Quoted("expression", attr.expression());
      case pb::AttrDef::kG:  // the graph has no attributes that are graphs
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

void PrintOp(const pb::OpDef& op, int /*detail*/, TextWriter& text, const GapFn& gap) {
  text.Open("op");
  Printer(text).Print(op, gap);
  text.Close();
}

// Origins and reasons are lists.
void PrintAttr(Gap gap, TextWriter& text, const std::function<void()>& values) {
  const bool list = gap == Gap::kOrigins || gap == Gap::kReasons;
  text.Open("attr");
  text.Quoted("key", AttrOfGap(gap));
  text.Open("value");
  if (list) text.Open("list");
  values();
  if (list) {
    text.Word("val_type", List::ListValueType_Name(List::VT_LIST_STRING));
    text.Close();
  }
  text.Close();
  text.Close();
}

constexpr NodeForm kForm = {{{{Gap::kName, "name", 0, false, false},
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
                              {Gap::kFused, "s", 2, false, false}}},
                            PrintOp,
                            PrintAttr};

constexpr int kModelVersion = 2;

void PrintGraph(const GraphRecord& graph, NodeWriter& nodes, TextWriter& text) {
  text.Open("graph");
  if (!graph.name.empty()) text.Quoted("name", graph.name);
  nodes.BeginGraph(graph);
  for (const std::string_view input : nodes.inputs()) text.Escaped("input", input);
  for (const NodeWriter::Output& output : nodes.outputs()) {
    output.name.empty() ? text.Escaped("output", "") : text.Escaped("output", output.name, output.index);
  }
  nodes.Write();
  Attrs attrs;
  for (const auto& [name, value] : graph.attrs) ToProto(value, &attrs[EscapeInvalidUtf8(name.str())]);
  Printer(text).Print(attrs);
  text.Close();
}

}  // namespace

// Printed operator by operator, so that with all values in it no more than one constant is in memory.
void WriteProtoText(const StageSnapshot& snapshot, NodeTexts* texts, ByteSink& out) {
  TextWriter text(out, 0, &texts->buffer);
  text.Quoted("name", snapshot.graphs[0].name);
  text.Field("version", kModelVersion);
  NodeWriter nodes(snapshot, kForm, texts, text);
  for (const GraphRecord& graph : snapshot.graphs) PrintGraph(graph, nodes, text);
  text.Flush();
}

}  // namespace atc
