#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

#include "compiler/dump/forms.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/proto_graph.h"

namespace atc {
namespace {

namespace pb = openatc::ge;

constexpr int kManyPorts = 20;  // from so many on, a port is described by one string

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;
// Texts are views: a constant's bytes are not copied.
using OnnxValue = std::variant<int64_t, float, std::string_view, std::string, Ints, Floats, Strings>;
using OnnxAttrs = std::map<std::string, OnnxValue>;

// Text of a protobuf message, indented by two blanks a level.
class TextWriter {
 public:
  explicit TextWriter(ByteSink& out) : out_(out) {}

  void Open(std::string_view field) {
    Line("{} {{", field);
    ++depth_;
  }
  void Close() {
    --depth_;
    Line("}}");
  }
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
    FlushIfLong();
  }
  void Quoted(std::string_view field, std::string_view value) {
    text_.append(2 * depth_, ' ');
    text_ += field;
    text_ += ": \"";
    for (const char c : value) {
      Character(c);
      FlushIfLong();
    }
    text_ += "\"\n";
  }
  void Flush() {
    out_.Write(text_);
    text_.clear();
  }

 private:
  void FlushIfLong() {
    if (text_.size() > (1 << 16)) Flush();
  }

  // As C writes it; what is no printable ASCII becomes three octal digits.
  void Character(char c) {
    switch (c) {
      case '\n': text_ += "\\n"; break;
      case '\r': text_ += "\\r"; break;
      case '\t': text_ += "\\t"; break;
      case '"': text_ += "\\\""; break;
      case '\'': text_ += "\\'"; break;
      case '\\': text_ += "\\\\"; break;
      default:
        if (c >= 0x20 && c < 0x7F) {
          text_ += c;
        } else {
          const auto byte = static_cast<unsigned char>(c);
          text_ += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
                    static_cast<char>('0' + (byte & 7))};
        }
    }
  }

  ByteSink& out_;
  std::string text_;
  size_t depth_ = 0;
};

struct ValuePrinter {
  TextWriter& text;

  void operator()(int64_t value) const {
    text.Line("i: {}", value);
    text.Line("type: INT");
  }
  void operator()(float value) const {
    text.Line("f: {}", value);
    text.Line("type: FLOAT");
  }
  void operator()(std::string_view value) const {
    text.Quoted("s", value);
    text.Line("type: STRING");
  }
  void operator()(const std::string& value) const { (*this)(std::string_view(value)); }
  void operator()(const Ints& values) const {
    for (const int64_t value : values) text.Line("ints: {}", value);
    text.Line("type: INTS");
  }
  void operator()(const Floats& values) const {
    for (const float value : values) text.Line("floats: {}", value);
    text.Line("type: FLOATS");
  }
  void operator()(const Strings& values) const {
    for (const std::string& value : values) text.Quoted("strings", value);
    text.Line("type: STRINGS");
  }
};

Ints ToInts(const auto& field) { return {field.begin(), field.end()}; }

// Adds an attribute of the om's kind under `name`. Strings appear where all data is asked for.
void AddAttr(const std::string& name, const pb::AttrDef& attr, bool strings, OnnxAttrs* to) {
  switch (attr.value_case()) {
    case pb::AttrDef::kI: (*to)[name] = attr.i(); break;
    case pb::AttrDef::kB: (*to)[name] = int64_t{attr.b()}; break;
    case pb::AttrDef::kDt: (*to)[name] = attr.dt(); break;
    case pb::AttrDef::kF: (*to)[name] = attr.f(); break;
    case pb::AttrDef::kS:
      if (strings) (*to)[name] = std::string_view(attr.s());
      break;
    case pb::AttrDef::kFunc:
      if (strings) (*to)[name] = std::string_view(attr.func().name());
      break;
    case pb::AttrDef::kT: {
      const pb::TensorDef& tensor = attr.t();
      (*to)[name + "_desc_dtype"] = std::string(DataTypeName(GetDataType(tensor.desc())));
      (*to)[name + "_desc_shape"] = ToInts(tensor.desc().shape().dim());
      (*to)[name + "_desc_layout"] = std::string_view(tensor.desc().layout());
      (*to)[name + "_desc_device_type"] = std::string_view(tensor.desc().device_type());
      if (strings) (*to)[name + "_data"] = std::string_view(tensor.data());
      break;
    }
    case pb::AttrDef::kListListInt:
      for (int i = 0; i < attr.list_list_int().list_list_i_size(); ++i) {
        (*to)[fmt::format("{}_{}", name, i)] = ToInts(attr.list_list_int().list_list_i(i).list_i());
      }
      break;
    case pb::AttrDef::kList: {
      const auto& list = attr.list();
      if (list.val_type() == pb::AttrDef::ListValue::VT_LIST_FLOAT) {
        (*to)[name] = Floats(list.f().begin(), list.f().end());
      } else if (list.val_type() == pb::AttrDef::ListValue::VT_LIST_BOOL) {
        (*to)[name] = ToInts(list.b());
      } else if (list.val_type() == pb::AttrDef::ListValue::VT_LIST_INT) {
        (*to)[name] = ToInts(list.i());
      } else if (strings) {
        (*to)[name] = Strings(list.s().begin(), list.s().end());
      }
      break;
    }
    default: break;
  }
}

const pb::AttrDef* Find(const pb::TensorDescriptor& desc, const char* name) {
  const auto it = desc.attr().find(name);
  return it == desc.attr().end() ? nullptr : &it->second;
}

std::string OriginLayout(const pb::TensorDescriptor& desc) {
  const pb::AttrDef* layout = Find(desc, "origin_format");
  return layout ? layout->s() : "";
}

Ints OriginShape(const pb::TensorDescriptor& desc) {
  const pb::AttrDef* shape = Find(desc, "origin_shape");
  return shape ? ToInts(shape->list().i()) : Ints();
}

// `port` is "input_desc" or "output_desc".
void AddDesc(const std::string& port, int i, const pb::TensorDescriptor& desc, OnnxAttrs* to) {
  const auto key = [&](std::string_view field) { return fmt::format("{}_{}:{}", port, field, i); };
  const std::string dtype(DataTypeName(GetDataType(desc)));
  (*to)[key("dtype")] = dtype;
  (*to)[key("origin_dtype")] = dtype;
  (*to)[key("shape")] = ToInts(desc.shape().dim());
  (*to)[key("origin_shape")] = OriginShape(desc);
  (*to)[key("layout")] = std::string_view(desc.layout());
  (*to)[key("origin_layout")] = OriginLayout(desc);
  (*to)[key("size")] = desc.size();
  (*to)[key("weight_size")] = desc.weight_size();
  (*to)[key("reuse_input")] = int64_t{desc.reuse_input()};
  (*to)[key("output_tensor")] = int64_t{desc.output_tensor()};
  (*to)[key("input_tensor")] = int64_t{desc.input_tensor()};
  (*to)[key("device_type")] = std::string_view(desc.device_type());
  (*to)[key("real_dim_cnt")] = desc.real_dim_cnt();
  (*to)[key("data_offset")] = desc.data_offset();
  (*to)[key("cmps_size")] = desc.cmps_size();
  (*to)[key("cmps_tab")] = std::string_view(desc.cmps_tab());
  (*to)[key("cmps_tab_offset")] = desc.cmps_tab_offset();
  for (const auto& [name, value] : desc.attr()) AddAttr(key("attr_" + name), value, true, to);
}

void AddDescs(const std::string& port, const auto& descs, OnnxAttrs* to) {
  (*to)[port + "_nums"] = int64_t{descs.size()};
  for (int i = 0; i < descs.size(); ++i) {
    if (descs.size() < kManyPorts) {
      AddDesc(port, i, descs[i], to);
      continue;
    }
    const pb::TensorDescriptor& desc = descs[i];
    (*to)[fmt::format("{}_{}", port, i)] =
        fmt::format(R"({{"dtype":"{}","layout":"{}","origin_layout":"{}","origin_shape":[{}],"shape":[{}],"size":{}}})",
                    DataTypeName(GetDataType(desc)), desc.layout(), OriginLayout(desc),
                    fmt::join(OriginShape(desc), ","), fmt::join(ToInts(desc.shape().dim()), ","), desc.size());
  }
}

OnnxAttrs Attributes(const pb::OpDef& op, bool strings) {
  OnnxAttrs attrs;
  for (const auto& [name, value] : op.attr()) {
    AddAttr(name, value, strings || name == "_input_name_key" || name == "_output_name_key", &attrs);
  }
  attrs["id"] = op.id();
  attrs["stream_id"] = op.stream_id();
  attrs["input_name"] = Strings(op.input_name().begin(), op.input_name().end());
  attrs["src_name"] = Strings(op.src_name().begin(), op.src_name().end());
  attrs["dst_name"] = Strings(op.dst_name().begin(), op.dst_name().end());
  attrs["src_index"] = ToInts(op.src_index());
  attrs["dst_index"] = ToInts(op.dst_index());
  attrs["input_i"] = ToInts(op.input_i());
  attrs["output_i"] = ToInts(op.output_i());
  attrs["workspace"] = ToInts(op.workspace());
  attrs["workspace_bytes"] = ToInts(op.workspace_bytes());
  attrs["is_input_const"] = ToInts(op.is_input_const());
  AddDescs("input_desc", op.input_desc(), &attrs);
  AddDescs("output_desc", op.output_desc(), &attrs);
  return attrs;
}

class GraphPrinter {
 public:
  GraphPrinter(const GraphList& graphs, int detail, ByteSink& out) : graphs_(graphs), detail_(detail), text_(out) {}

  void Print() {
    text_.Line("ir_version: 6");
    text_.Quoted("producer_name", "GE");
    text_.Line("model_version: 2");
    text_.Open("graph");
    PrintGraph(graphs_.all()[0], true);
    text_.Close();
    text_.Flush();
  }

 private:
  void PrintGraph(const ListedGraph& listed, bool root) {
    for (const NodeId id : listed.order) PrintNode(listed, listed.graph->node(id));
    if (root) {
      for (size_t i = 1; i < graphs_.all().size(); ++i) PrintNested(graphs_.all()[i]);
    }
    text_.Quoted("name", listed.name);
    pb::GraphDef fields;
    GraphFieldsToProto(listed, &fields, &fields);
    if (!root) {
      for (const std::string& name : fields.input()) {
        text_.Open("input");
        text_.Quoted("name", name);
        text_.Close();
      }
    }
    PrintOutputs(*listed.graph);
  }

  // In a node of its own, so that a viewer shows it beside its owner.
  void PrintNested(const ListedGraph& listed) {
    text_.Open("node");
    text_.Quoted("name", listed.name);
    text_.Quoted("op_type", "subgraph");
    text_.Open("attribute");
    text_.Quoted("name", "graph");
    text_.Open("g");
    PrintGraph(listed, false);
    text_.Close();
    text_.Line("type: GRAPH");
    text_.Close();
    text_.Close();
  }

  void PrintNode(const ListedGraph& listed, const Node& node) {
    pb::OpDef op;
    ToProto(graphs_, listed, node, {.drop_values = detail_ > 1}, &op);
    text_.Open("node");
    for (const std::string& input : op.input()) text_.Quoted("input", input);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (!listed.graph->value(node.outputs[i]).uses.empty()) {
        text_.Quoted("output", fmt::format("{}:{}", op.name(), i));
      }
    }
    if (!node.control_out.empty()) text_.Quoted("output", op.name() + ":-1");
    text_.Quoted("name", op.name());
    text_.Quoted("op_type", "ge:" + op.type());
    if (detail_ < 3) {
      for (const auto& [name, value] : Attributes(op, detail_ == 1)) {
        text_.Open("attribute");
        text_.Quoted("name", name);
        std::visit(ValuePrinter{text_}, value);
        text_.Close();
      }
    }
    text_.Close();
  }

  void PrintOutputs(const Graph& graph) {
    const Node* net_output = graph.NetOutput();
    if (net_output == nullptr) return;
    for (const ValueId id : net_output->inputs) {
      if (id == kNoId) continue;
      const Value& value = graph.value(id);
      text_.Open("output");
      text_.Quoted("name", fmt::format("{}:{}", graph.node(value.producer).name, value.index));
      text_.Open("type");
      text_.Open("tensor_type");
      text_.Line("elem_type: {}", OnnxNumber(value.desc.dtype));
      text_.Open("shape");
      for (const int64_t dim : value.desc.shape.dims()) {
        text_.Open("dim");
        text_.Line("dim_value: {}", dim);
        text_.Close();
      }
      for (int i = 0; i < 4; ++i) text_.Close();
    }
  }

  const GraphList& graphs_;
  const int detail_;
  TextWriter text_;
};

}  // namespace

void WriteOnnxText(const GraphList& graphs, int detail, ByteSink& out) { GraphPrinter(graphs, detail, out).Print(); }

}  // namespace atc
