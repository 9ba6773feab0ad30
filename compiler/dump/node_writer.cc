#include "compiler/dump/node_writer.h"

#include <cassert>
#include <utility>

#include "compiler/io/utf8.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_graph.h"

namespace atc {

namespace {

struct WholeAttr {
  Gap gap;
  std::string_view name;
};
constexpr WholeAttr kWholeAttrs[] = {{Gap::kOrigins, kOriginsAttr},
                                     {Gap::kReasons, kReasonsAttr},
                                     {Gap::kEngine, kEngineAttr},
                                     {Gap::kFused, kFusedAttr}};

}  // namespace

std::optional<Gap> GapOfAttr(std::string_view name) {
  for (const WholeAttr& attr : kWholeAttrs) {
    if (attr.name == name) return attr.gap;
  }
  return std::nullopt;
}

std::string_view AttrOfGap(Gap gap) {
  for (const WholeAttr& attr : kWholeAttrs) {
    if (attr.gap == gap) return attr.name;
  }
  return {};
}

NodeWriter::NodeWriter(const StageSnapshot& snapshot, const NodeForm& form, NodeTexts* texts, TextWriter& text)
    : snapshot_(snapshot), form_(form), texts_(texts->known), text_(text) {
  if (snapshot.forget) texts_.clear();
}

NodeWriter::Frame NodeWriter::MakeFrame(const GapField& field) const {
  Frame frame;
  frame.line = std::string(2 * (depth_ + 1 + field.depth), ' ').append(field.field) + ": ";
  if (AttrOfGap(field.gap).empty()) return frame;
  StringSink sink;
  TextWriter text(sink, depth_ + 1);
  form_.print_attr(field.gap, text, [&] {
    text.Flush();
    frame.before = std::exchange(sink.text, "");
  });
  text.Flush();
  frame.after = std::move(sink.text);
  return frame;
}

void NodeWriter::BeginGraph(const GraphRecord& graph) {
  graph_ = &graph;
  if (depth_ != text_.depth()) {
    depth_ = text_.depth();
    for (size_t i = 0; i < kNumGaps; ++i) {
      assert(static_cast<size_t>(form_.gaps[i].gap) == i);
      frames_[i] = MakeFrame(form_.gaps[i]);
    }
  }
  WordReader words(snapshot_.words.data() + graph.at);
  const std::span<const uint32_t> inputs = words.Take<uint32_t>(words.Word());
  outputs_.resize(words.Word());
  std::vector<uint32_t> places;
  for (Output& output : outputs_) {
    const GraphRecord::Output& record = words.Take<GraphRecord::Output>(1)[0];
    output = {{}, record.end.index, record.dtype, words.Take<int64_t>(record.rank)};
    places.push_back(record.end.place);
  }
  // First all of them, since text moves while it grows.
  escaped_.clear();
  std::vector<size_t> ends(graph.nodes);
  for (size_t& end : ends) {
    const std::string_view name = words.Text();
    IsUtf8(name) ? TextWriter::Escape(name, &escaped_) : TextWriter::Escape(EscapeInvalidUtf8(name), &escaped_);
    end = escaped_.size();
  }
  names_.clear();
  size_t begin = 0;
  for (const size_t end : ends) {
    names_.push_back(std::string_view(escaped_).substr(begin, end - begin));
    begin = end;
  }
  inputs_.clear();
  for (const uint32_t place : inputs) inputs_.push_back(names_[place]);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (places[i] != kNoId) outputs_[i].name = names_[places[i]];
  }
  words_ = words;
  remarks_ = WordReader(snapshot_.remarks.data() + graph.remarks_at);
}

void NodeWriter::Write() {
  for (place_ = 0; place_ < graph_->nodes; ++place_) {
    record_ = words_.Take<NodeRecord>(1)[0];
    view_.inputs = words_.Take<NodeRecord::End>(record_.inputs);
    view_.targets = words_.Take<NodeRecord::End>(record_.targets);
    view_.outputs = words_.Take<int32_t>(record_.outputs);
    view_.input_offsets = words_.Take<int64_t>(record_.input_offsets);
    view_.output_offsets = words_.Take<int64_t>(record_.output_offsets);
    view_.workspaces = words_.Take<int64_t>(record_.workspaces);
    view_.workspace_bytes = words_.Take<int64_t>(record_.workspace_bytes);
    view_.constants = words_.Take<char>(record_.constants);
    const auto texts = [&](uint32_t count, std::vector<std::string_view>* to) {
      to->clear();
      for (uint32_t i = 0; i < count; ++i) to->push_back(remarks_.Text());
    };
    const RemarksRecord remarks = remarks_.Take<RemarksRecord>(1)[0];
    texts(remarks.origins, &view_.origins);
    texts(remarks.reasons, &view_.reasons);
    view_.engine = remarks_.Text();
    WriteNode();
  }
}

void NodeWriter::WriteNode() {
  if (record_.text == kNoId) {
    return Print(text_, [this](Gap gap) { Fill(gap); });
  }
  if (record_.text >= texts_.size()) {
    assert(record_.text == texts_.size());
    NodeText made;
    StringSink sink;
    TextWriter text(sink, text_.depth());
    Print(text, [&](Gap gap) {
      text.Flush();
      made.gaps.push_back({sink.text.size(), gap});
    });
    text.Flush();
    made.text = std::move(sink.text);
    texts_.push_back(std::move(made));
  }
  Fill(texts_[record_.text]);
}

void NodeWriter::Print(TextWriter& text, const GapFn& gap) {
  const Graph& prototype = *snapshot_.prototypes[prototype_++];
  const GraphList list(prototype);
  auto& op = *google::protobuf::Arena::CreateMessage<openatc::ge::OpDef>(&arena_);
  const Node& node = prototype.node(static_cast<NodeId>(prototype.node_capacity() - 1));
  ToProto(list, list.all()[0], node, {.drop_values = snapshot_.detail > 1}, &op);
  form_.print(op, snapshot_.detail, text, gap);
  arena_.Reset();
}

void NodeWriter::Fill(const NodeText& whole) {
  const std::string_view text = whole.text;
  size_t from = 0;
  for (const NodeText::Place& place : whole.gaps) {
    text_.Lines(text.substr(from, place.at - from));
    Fill(place.gap);
    from = place.at;
  }
  text_.Lines(text.substr(from));
}

void NodeWriter::Fill(Gap gap) {
  const GapField& field = form_.gaps[static_cast<size_t>(gap)];
  const Frame& frame = frames_[static_cast<size_t>(gap)];
  const std::string& before = frame.line;
  const auto number = [&](int64_t value) {
    if (field.zero || value != 0) text_.Line(before, value);
  };
  const auto numbers = [&](std::span<const int64_t> values) {
    for (const int64_t value : values) text_.Line(before, value);
  };
  const auto names = [&](std::span<const NodeRecord::End> ends) {
    for (const NodeRecord::End& end : ends) {
      if (end.place != kNoId) text_.EscapedLine(before, names_[end.place]);
    }
  };
  const auto indices = [&](std::span<const NodeRecord::End> ends) {
    for (const NodeRecord::End& end : ends) {
      if (end.place != kNoId) text_.Line(before, end.index);
    }
  };
  switch (gap) {
    case Gap::kName: text_.EscapedLine(before, names_[place_]); break;
    case Gap::kInputs:
      for (const NodeRecord::End& end : view_.inputs) {
        end.place == kNoId ? text_.EscapedLine(before, "") : text_.EscapedLine(before, names_[end.place], end.index);
      }
      break;
    case Gap::kOutputs:
      for (const int32_t output : view_.outputs) text_.EscapedLine(before, names_[place_], output);
      break;
    case Gap::kSourceNames: names(view_.inputs); break;
    case Gap::kSourceIndices: indices(view_.inputs); break;
    case Gap::kTargetNames: names(view_.targets); break;
    case Gap::kTargetIndices: indices(view_.targets); break;
    case Gap::kId: number(int64_t{graph_->first_id} + place_); break;
    case Gap::kStream: number(record_.stream); break;
    case Gap::kInputOffsets: numbers(view_.input_offsets); break;
    case Gap::kOutputOffsets: numbers(view_.output_offsets); break;
    case Gap::kConstant:
      for (const char value : view_.constants) {
        field.words ? text_.Line(before, value != 0) : text_.Line(before, static_cast<int64_t>(value));
      }
      break;
    case Gap::kWorkspace: numbers(view_.workspaces); break;
    case Gap::kWorkspaceBytes: numbers(view_.workspace_bytes); break;
    case Gap::kOrigins: FillAttr(frame, view_.origins); break;
    case Gap::kReasons: FillAttr(frame, view_.reasons); break;
    case Gap::kEngine:
      if (!view_.engine.empty()) FillAttr(frame, {&view_.engine, 1});
      break;
    case Gap::kFused:
      if (record_.fused != kNoId) {
        const std::string_view name = snapshot_.graphs[record_.fused].name;
        FillAttr(frame, {&name, 1});
      }
      break;
  }
}

void NodeWriter::FillAttr(const Frame& frame, std::span<const std::string_view> values) {
  if (values.empty()) return;
  text_.Lines(frame.before);
  for (const std::string_view value : values) text_.QuotedLine(frame.line, value);
  text_.Lines(frame.after);
}

}  // namespace atc
