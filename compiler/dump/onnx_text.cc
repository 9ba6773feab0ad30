#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/dump/forms.h"
#include "compiler/dump/node_writer.h"
#include "compiler/dump/text_writer.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"
#include "compiler/om/proto_graph.h"

namespace atc {
namespace {

namespace pb = openatc::ge;

constexpr int kManyPorts = 20;  // from so many on, a port is described by one string

// The attributes of one node, printed as they come and sorted by name in the end. Of two with one name the later holds.
class Attributes {
 public:
  // `depth`: indentation of the node's fields.
  explicit Attributes(size_t depth) : text_(values_, depth + 1) {}

  // A name is made of parts: a port's are "input_desc_", a field, ":", a number.
  template <typename... Parts>
  void Int(int64_t value, const Parts&... name) {
    Begin(name...);
    text_.Field("i", value);
    End("INT");
  }
  template <typename... Parts>
  void Float(float value, const Parts&... name) {
    Begin(name...);
    text_.Field("f", value);
    End("FLOAT");
  }
  template <typename... Parts>
  void String(std::string_view value, const Parts&... name) {
    Begin(name...);
    text_.Quoted("s", value);
    End("STRING");
  }
  // Bytes that may be many: they are not copied, and must outlive this.
  template <typename... Parts>
  void Bytes(std::string_view value, const Parts&... name) {
    Begin(name...);
    entries_.back().bytes = value;
    End("STRING");
  }
  template <typename... Parts>
  void Ints(const auto& values, const Parts&... name) {
    Begin(name...);
    for (const int64_t value : values) text_.Field("ints", value);
    End("INTS");
  }
  template <typename... Parts>
  void Floats(const auto& values, const Parts&... name) {
    Begin(name...);
    for (const float value : values) text_.Field("floats", value);
    End("FLOATS");
  }
  template <typename... Parts>
  void Strings(const auto& values, const Parts&... name) {
    Begin(name...);
    for (const std::string& value : values) text_.Quoted("strings", value);
    End("STRINGS");
  }

  // An attribute, and a value, that are no part of the text.
  void Whole(Gap gap, std::string_view name) {
    Begin(name);
    entries_.back().gap = gap;
    entries_.back().whole = true;
  }
  void Gapped(Gap gap, std::string_view type, std::string_view name) {
    Begin(name);
    entries_.back().gap = gap;
    End(type);
  }

  // `gap` is called where a value is left out.
  void Print(TextWriter& text, const GapFn& gap) {
    std::vector<std::pair<std::string_view, size_t>> sorted;
    sorted.reserve(entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i) {
      sorted.emplace_back(std::string_view(names_).substr(entries_[i].name, entries_[i].name_end - entries_[i].name), i);
    }
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) {
      const auto& [name, place] = sorted[i];
      if (i + 1 < sorted.size() && name == sorted[i + 1].first) continue;
      const Entry& entry = entries_[place];
      if (entry.whole) {
        gap(*entry.gap);
        continue;
      }
      text.Open("attribute");
      text.Quoted("name", name);
      if (entry.bytes.data() != nullptr) text.Quoted("s", entry.bytes);
      if (entry.gap) gap(*entry.gap);
      text.Lines(std::string_view(values_.text).substr(entry.value, entry.value_end - entry.value));
      text.Close();
    }
  }

 private:
  struct Entry {
    size_t name, name_end;    // in names_
    size_t value, value_end;  // in values_
    std::string_view bytes;
    std::optional<Gap> gap;
    bool whole = false;  // the gap stands for all of it
  };

  static void Append(std::string_view part, std::string* to) { *to += part; }
  static void Append(int part, std::string* to) {
    char digits[12];
    to->append(digits, std::to_chars(digits, digits + sizeof(digits), part).ptr);
  }

  template <typename... Parts>
  void Begin(const Parts&... name) {
    const size_t begin = names_.size();
    (Append(name, &names_), ...);
    entries_.push_back({begin, names_.size(), values_.text.size(), 0, {}, {}});
  }
  void End(std::string_view type) {
    text_.Word("type", type);
    text_.Flush();
    entries_.back().value_end = values_.text.size();
  }
  std::string names_;
  StringSink values_;
  TextWriter text_;
  std::vector<Entry> entries_;
};

// Adds an attribute of the om's kind under a name made of parts. Strings appear where all data is asked for.
template <typename... Name>
void AddAttr(const pb::AttrDef& attr, bool strings, Attributes* to, const Name&... name) {
  switch (attr.value_case()) {
    case pb::AttrDef::kI: return to->Int(attr.i(), name...);
    case pb::AttrDef::kB: return to->Int(attr.b(), name...);
    case pb::AttrDef::kDt: return to->Int(attr.dt(), name...);
    case pb::AttrDef::kF: return to->Float(attr.f(), name...);
    case pb::AttrDef::kS:
      if (strings) to->String(attr.s(), name...);
      return;
    case pb::AttrDef::kFunc:
      if (strings) to->String(attr.func().name(), name...);
      return;
    case pb::AttrDef::kT: {
      const pb::TensorDescriptor& desc = attr.t().desc();
      to->String(DataTypeName(GetDataType(desc)), name..., "_desc_dtype");
      to->Ints(desc.shape().dim(), name..., "_desc_shape");
      to->String(desc.layout(), name..., "_desc_layout");
      to->String(desc.device_type(), name..., "_desc_device_type");
      if (strings) to->Bytes(attr.t().data(), name..., "_data");
      return;
    }
    case pb::AttrDef::kListListInt:
      for (int i = 0; i < attr.list_list_int().list_list_i_size(); ++i) {
        to->Ints(attr.list_list_int().list_list_i(i).list_i(), name..., "_", i);
      }
      return;
    case pb::AttrDef::kList: {
      const auto& list = attr.list();
      switch (list.val_type()) {
        case pb::AttrDef::ListValue::VT_LIST_FLOAT: return to->Floats(list.f(), name...);
        case pb::AttrDef::ListValue::VT_LIST_BOOL: return to->Ints(list.b(), name...);
        case pb::AttrDef::ListValue::VT_LIST_INT: return to->Ints(list.i(), name...);
        default:
          if (strings) to->Strings(list.s(), name...);
          return;
      }
    }
    default: return;
  }
}

const pb::AttrDef* Find(const pb::TensorDescriptor& desc, const char* name) {
  const auto it = desc.attr().find(name);
  return it == desc.attr().end() ? nullptr : &it->second;
}

std::string_view OriginLayout(const pb::TensorDescriptor& desc) {
  const pb::AttrDef* layout = Find(desc, "origin_format");
  return layout ? std::string_view(layout->s()) : std::string_view();
}

const google::protobuf::RepeatedField<int64_t>& OriginShape(const pb::TensorDescriptor& desc) {
  static const google::protobuf::RepeatedField<int64_t> kNone;
  const pb::AttrDef* shape = Find(desc, "origin_shape");
  return shape ? shape->list().i() : kNone;
}

// `port` is "input_desc_" or "output_desc_".
void AddDesc(std::string_view port, int i, const pb::TensorDescriptor& desc, Attributes* to) {
  const std::string_view dtype = DataTypeName(GetDataType(desc));
  to->String(dtype, port, "dtype:", i);
  to->String(dtype, port, "origin_dtype:", i);
  to->Ints(desc.shape().dim(), port, "shape:", i);
  to->Ints(OriginShape(desc), port, "origin_shape:", i);
  to->String(desc.layout(), port, "layout:", i);
  to->String(OriginLayout(desc), port, "origin_layout:", i);
  to->Int(desc.size(), port, "size:", i);
  to->Int(desc.weight_size(), port, "weight_size:", i);
  to->Int(desc.reuse_input(), port, "reuse_input:", i);
  to->Int(desc.output_tensor(), port, "output_tensor:", i);
  to->Int(desc.input_tensor(), port, "input_tensor:", i);
  to->String(desc.device_type(), port, "device_type:", i);
  to->Int(desc.real_dim_cnt(), port, "real_dim_cnt:", i);
  to->Int(desc.data_offset(), port, "data_offset:", i);
  to->Int(desc.cmps_size(), port, "cmps_size:", i);
  to->String(desc.cmps_tab(), port, "cmps_tab:", i);
  to->Int(desc.cmps_tab_offset(), port, "cmps_tab_offset:", i);
  for (const auto& [name, value] : desc.attr()) AddAttr(value, true, to, port, "attr_", name, ":", i);
}

void AddDescs(std::string_view port, const auto& descs, Attributes* to) {
  to->Int(descs.size(), port, "nums");
  for (int i = 0; i < descs.size(); ++i) {
    if (descs.size() < kManyPorts) {
      AddDesc(port, i, descs[i], to);
      continue;
    }
    const pb::TensorDescriptor& desc = descs[i];
    to->String(
        fmt::format(R"({{"dtype":"{}","layout":"{}","origin_layout":"{}","origin_shape":[{}],"shape":[{}],"size":{}}})",
                    DataTypeName(GetDataType(desc)), desc.layout(), OriginLayout(desc),
                    fmt::join(OriginShape(desc), ","), fmt::join(desc.shape().dim(), ","), desc.size()),
        port, i);
  }
}

void AddOp(const pb::OpDef& op, bool strings, Attributes* to) {
  for (const auto& [name, value] : op.attr()) {
    if (const std::optional<Gap> whole = GapOfAttr(name)) {
      if (strings) to->Whole(*whole, name);
      continue;
    }
    AddAttr(value, strings || name == "_input_name_key" || name == "_output_name_key", to, name);
  }
  to->Gapped(Gap::kId, "INT", "id");
  to->Gapped(Gap::kStream, "INT", "stream_id");
  to->Strings(op.input_name(), "input_name");
  to->Gapped(Gap::kSourceNames, "STRINGS", "src_name");
  to->Gapped(Gap::kTargetNames, "STRINGS", "dst_name");
  to->Gapped(Gap::kSourceIndices, "INTS", "src_index");
  to->Gapped(Gap::kTargetIndices, "INTS", "dst_index");
  to->Gapped(Gap::kInputOffsets, "INTS", "input_i");
  to->Gapped(Gap::kOutputOffsets, "INTS", "output_i");
  to->Gapped(Gap::kWorkspace, "INTS", "workspace");
  to->Gapped(Gap::kWorkspaceBytes, "INTS", "workspace_bytes");
  to->Gapped(Gap::kConstant, "INTS", "is_input_const");
  AddDescs("input_desc_", op.input_desc(), to);
  AddDescs("output_desc_", op.output_desc(), to);
}

// What other nodes need not share is left to `gap`.
void PrintNode(const pb::OpDef& op, int detail, TextWriter& text, const GapFn& gap) {
  text.Open("node");
  for (const Gap wiring : {Gap::kInputs, Gap::kOutputs, Gap::kName}) gap(wiring);
  text.Quoted("op_type", "ge:" + op.type());
  if (detail < 3) {
    Attributes attributes(text.depth());
    AddOp(op, detail == 1, &attributes);
    attributes.Print(text, gap);
  }
  text.Close();
}

// Origins and reasons are lists.
void PrintAttr(Gap gap, TextWriter& text, const std::function<void()>& values) {
  text.Open("attribute");
  text.Quoted("name", AttrOfGap(gap));
  values();
  text.Word("type", gap == Gap::kOrigins || gap == Gap::kReasons ? "STRINGS" : "STRING");
  text.Close();
}

constexpr NodeForm kForm = {{{{Gap::kName, "name", 0, false, false},
                              {Gap::kInputs, "input", 0, false, false},
                              {Gap::kOutputs, "output", 0, false, false},
                              {Gap::kSourceNames, "strings", 1, false, false},
                              {Gap::kSourceIndices, "ints", 1, false, false},
                              {Gap::kTargetNames, "strings", 1, false, false},
                              {Gap::kTargetIndices, "ints", 1, false, false},
                              {Gap::kId, "i", 1, true, false},
                              {Gap::kStream, "i", 1, true, false},
                              {Gap::kInputOffsets, "ints", 1, false, false},
                              {Gap::kOutputOffsets, "ints", 1, false, false},
                              {Gap::kConstant, "ints", 1, false, false},
                              {Gap::kWorkspace, "ints", 1, false, false},
                              {Gap::kWorkspaceBytes, "ints", 1, false, false},
                              {Gap::kOrigins, "strings", 1, false, false},
                              {Gap::kReasons, "strings", 1, false, false},
                              {Gap::kEngine, "s", 1, false, false},
                              {Gap::kFused, "s", 1, false, false}}},
                            PrintNode,
                            PrintAttr};

class GraphPrinter {
 public:
  GraphPrinter(const StageSnapshot& snapshot, ByteSink& out, NodeTexts* texts)
      : snapshot_(snapshot), text_(out, 0, &texts->buffer), nodes_(snapshot, kForm, texts, text_) {}

  void Print() {
    text_.Field("ir_version", 6);
    text_.Quoted("producer_name", "GE");
    text_.Field("model_version", 2);
    text_.Open("graph");
    PrintGraph(snapshot_.graphs[0], true);
    text_.Close();
    text_.Flush();
  }

 private:
  void PrintGraph(const GraphRecord& graph, bool root) {
    nodes_.BeginGraph(graph);
    nodes_.Write();
    if (root) {
      PrintNested();
      nodes_.BeginGraph(graph);  // once more: others were between
    }
    text_.Quoted("name", graph.name);
    if (!root) {
      for (const std::string_view name : nodes_.inputs()) {
        text_.Open("input");
        text_.Escaped("name", name);
        text_.Close();
      }
    }
    for (const NodeWriter::Output& output : nodes_.outputs()) PrintOutput(output);
  }

  // Each in a node of its own, so that a viewer shows it beside its owner.
  void PrintNested() {
    for (size_t i = 1; i < snapshot_.graphs.size(); ++i) {
      text_.Open("node");
      text_.Quoted("name", snapshot_.graphs[i].name);
      text_.Quoted("op_type", "subgraph");
      text_.Open("attribute");
      text_.Quoted("name", "graph");
      text_.Open("g");
      PrintGraph(snapshot_.graphs[i], false);
      text_.Close();
      text_.Word("type", "GRAPH");
      text_.Close();
      text_.Close();
    }
  }

  void PrintOutput(const NodeWriter::Output& output) {
    if (output.name.empty()) return;
    text_.Open("output");
    text_.Escaped("name", output.name, output.index);
    text_.Open("type");
    text_.Open("tensor_type");
    text_.Field("elem_type", OnnxNumber(static_cast<DataType>(output.dtype)));
    text_.Open("shape");
    for (const int64_t dim : output.dims) {
      text_.Open("dim");
      text_.Field("dim_value", dim);
      text_.Close();
    }
    for (int i = 0; i < 4; ++i) text_.Close();
  }

  const StageSnapshot& snapshot_;
  TextWriter text_;
  NodeWriter nodes_;
};

}  // namespace

void WriteOnnxText(const StageSnapshot& snapshot, NodeTexts* texts, ByteSink& out) {
  GraphPrinter(snapshot, out, texts).Print();
}

}  // namespace atc
