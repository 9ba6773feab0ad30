#include "compiler/dump/node_template.h"

#include <cassert>
#include <type_traits>
#include <variant>

#include "compiler/io/utf8.h"
#include "compiler/ir/port_names.h"

namespace atc {
namespace {

// As much text as is kept: enough for thousands of different nodes.
constexpr size_t kMostBytes = size_t{1} << 26;

template <typename T>
  requires std::is_trivially_copyable_v<T>
void Append(const T& value, std::string* key) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}
void Append(const std::string& text, std::string* key) {
  Append(text.size(), key);
  *key += text;
}
template <typename T>
void Append(const std::vector<T>& values, std::string* key) {
  Append(values.size(), key);
  for (const auto& value : values) Append(value, key);
}
void Append(const std::vector<bool>& values, std::string* key) {
  Append(values.size(), key);
  for (const bool value : values) Append(value, key);
}
void Append(Name name, std::string* key) { Append(&name.str(), key); }  // interned

bool AppendAttr(const AttrValue& value, std::string* key) {
  Append(value.index(), key);
  return std::visit(
      [&](const auto& held) {
        constexpr bool kTensor = std::is_same_v<std::decay_t<decltype(held)>, Tensor>;
        if constexpr (!kTensor) Append(held, key);
        return !kTensor;
      },
      value);
}

bool AppendDesc(const Value& value, std::string* key) {
  const TensorDesc& desc = value.desc;
  Append(desc.dtype, key);
  Append(desc.format, key);
  Append(desc.origin_format, key);
  Append(desc.shape.dims(), key);
  Append(desc.origin_shape.dims(), key);
  Append(desc.ranges, key);
  Append(desc.symbols, key);
  Append(desc.optional, key);
  Append(value.size, key);
  return desc.element == nullptr;
}

// Appends all that the text of the node depends on but what fills the gaps; false for nodes that are hardly like another,
// as those that hold tensors are.
bool AppendNodeKey(const Graph& graph, const Node& node, int detail, size_t depth, std::string* key) {
  if (!node.subgraphs.empty()) return false;
  Append(node.def, key);
  Append(detail, key);
  Append(depth, key);
  // Whether there are gaps for these at all.
  Append(node.origin == kNoOrigin, key);
  Append(node.reasons.empty(), key);
  Append(node.engine.empty(), key);
  Append(node.fused == nullptr, key);
  Append(node.inputs.size(), key);
  for (const ValueId id : node.inputs) {
    Append(id == kNoId, key);
    if (id != kNoId && !AppendDesc(graph.value(id), key)) return false;
  }
  Append(node.outputs.size(), key);
  for (const ValueId id : node.outputs) {
    if (!AppendDesc(graph.value(id), key)) return false;
  }
  // Names of ports come from the graph that the node stands for.
  if (node.fused) {
    for (size_t i = 0; i < node.inputs.size(); ++i) Append(InputPortName(node, i), key);
  }
  const bool leaves_value_out = detail > 1 && node.type() == "Const";
  for (const auto& [name, value] : node.attrs) {
    if (leaves_value_out && name == "value") continue;
    Append(name, key);
    if (!AppendAttr(value, key)) return false;
  }
  return true;
}

}  // namespace

const NodeTemplate* NodeTemplates::Find(const std::string& key) const {
  const auto found = templates_.find(key);
  return found == templates_.end() ? nullptr : &found->second;
}

const NodeTemplate& NodeTemplates::Add(const std::string& key, NodeTemplate made) {
  bytes_ += key.size() + made.text.size();
  if (bytes_ > kMostBytes) {
    templates_.clear();
    bytes_ = key.size() + made.text.size();
  }
  return templates_.insert_or_assign(key, std::move(made)).first->second;
}

void NodeWriter::BeginGraph(const ListedGraph& listed) {
  listed_ = &listed;
  names_.resize(listed.graph->node_capacity());
  for (const NodeId id : listed.order) {
    names_[id].clear();
    TextWriter::Escape(EscapeInvalidUtf8(listed.graph->node(id).name), &names_[id]);
  }
}

void NodeWriter::Write(const Node& node, int detail, NodeTemplates* templates, const PrintFn& print) {
  node_ = &node;
  base_ = text_.depth() + depth_;
  wiring_.Find(*listed_, node, nullptr);
  key_.clear();
  if (templates == nullptr || !AppendNodeKey(*listed_->graph, node, detail, text_.depth(), &key_)) {
    return print(text_, [this](Gap gap) { Fill(gap); });
  }
  const NodeTemplate* known = templates->Find(key_);
  if (known == nullptr) {
    NodeTemplate made;
    StringSink sink;
    TextWriter text(sink, text_.depth());
    print(text, [&](Gap gap) {
      text.Flush();
      made.gaps.push_back({sink.text.size(), gap});
    });
    text.Flush();
    made.text = std::move(sink.text);
    known = &templates->Add(key_, std::move(made));
  }
  Fill(*known);
}

void NodeWriter::Fill(const NodeTemplate& whole) {
  size_t from = 0;
  for (const NodeTemplate::Place& place : whole.gaps) {
    text_.Lines(std::string_view(whole.text).substr(from, place.at - from));
    Fill(place.gap);
    from = place.at;
  }
  text_.Lines(std::string_view(whole.text).substr(from));
}

void NodeWriter::Numbers(const GapField& field, const auto& values) {
  for (const auto value : values) text_.Field(field.field, static_cast<int64_t>(value));
}

void NodeWriter::Number(const GapField& field, int64_t value) {
  if (field.zero || value != 0) text_.Field(field.field, value);
}

void NodeWriter::Constant(const GapField& field) {
  for (const char value : wiring_.constant) {
    field.words ? text_.Field(field.field, value != 0) : text_.Field(field.field, static_cast<int64_t>(value));
  }
}

void NodeWriter::Reasons(const GapField& field) {
  for (const Reason& reason : node_->reasons) text_.Quoted(field.field, reason.aspect.str() + ": " + reason.rule);
}

void NodeWriter::Texts(const GapField& field, const auto& values) {
  for (const std::string& value : values) text_.Quoted(field.field, value);
}

void NodeWriter::Names(const GapField& field, const std::vector<OpWiring::End>& ends) {
  for (const OpWiring::End& end : ends) {
    if (end.node != kNoId) text_.Escaped(field.field, names_[end.node]);
  }
}

void NodeWriter::Inputs(const GapField& field) {
  for (const OpWiring::End& end : wiring_.inputs) {
    end.node == kNoId ? text_.Escaped(field.field, "") : text_.Escaped(field.field, names_[end.node], end.index);
  }
}

void NodeWriter::Outputs(const GapField& field) {
  for (size_t i = 0; i < node_->outputs.size(); ++i) {
    if (!listed_->graph->value(node_->outputs[i]).uses.empty()) {
      text_.Escaped(field.field, names_[node_->id], static_cast<int64_t>(i));
    }
  }
  if (!node_->control_out.empty()) text_.Escaped(field.field, names_[node_->id], -1);
}

void NodeWriter::Fill(Gap gap) {
  const auto of = [](const std::vector<OpWiring::End>& ends, auto&& take) {
    for (const OpWiring::End& end : ends) {
      if (end.node != kNoId) take(end.index);
    }
  };
  const GapField& field = fields_[static_cast<size_t>(gap)];
  assert(field.gap == gap);
  const auto index = [&](int64_t value) { text_.Field(field.field, value); };
  const size_t depth = text_.depth();
  text_.set_depth(base_ + field.depth);
  switch (gap) {
    case Gap::kName: text_.Escaped(field.field, names_[node_->id]); break;
    case Gap::kInputs: Inputs(field); break;
    case Gap::kOutputs: Outputs(field); break;
    case Gap::kSourceNames: Names(field, wiring_.inputs); break;
    case Gap::kSourceIndices: of(wiring_.inputs, index); break;
    case Gap::kTargetNames: Names(field, wiring_.targets); break;
    case Gap::kTargetIndices: of(wiring_.targets, index); break;
    case Gap::kId: Number(field, listed_->first_id + listed_->place[node_->id]); break;
    case Gap::kStream: Number(field, node_->stream); break;
    case Gap::kInputOffsets: Numbers(field, wiring_.input_offsets); break;
    case Gap::kOutputOffsets: Numbers(field, wiring_.output_offsets); break;
    case Gap::kConstant: Constant(field); break;
    case Gap::kWorkspace: Numbers(field, node_->workspace_offset); break;
    case Gap::kWorkspaceBytes: Numbers(field, node_->workspace_bytes); break;
    case Gap::kOrigins: Texts(field, graphs_.origins().Flatten(node_->origin)); break;
    case Gap::kReasons: Reasons(field); break;
    case Gap::kEngine: text_.Quoted(field.field, node_->engine); break;
    case Gap::kFused: text_.Quoted(field.field, graphs_.NameOf(*node_->fused)); break;
  }
  text_.set_depth(depth);
}

}  // namespace atc
