// The text of nodes, with gaps where nodes that are otherwise alike differ.
#pragma once

#include <google/protobuf/arena.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/dump/stage_snapshot.h"
#include "compiler/dump/text_writer.h"

namespace openatc::ge {
class OpDef;
}  // namespace openatc::ge

namespace atc {

// What fills a gap: fields of OpDef, and the attributes that hold fields of Node.
enum class Gap : uint8_t {
  kName,
  kInputs,
  kOutputs,
  kSourceNames,
  kSourceIndices,
  kTargetNames,
  kTargetIndices,
  kId,
  kStream,
  kInputOffsets,
  kOutputOffsets,
  kConstant,
  kWorkspace,
  kWorkspaceBytes,
  // Whole attributes: there is nothing where they have no value.
  kOrigins,
  kReasons,
  kEngine,
  kFused,
};
inline constexpr size_t kNumGaps = 18;

// That of the whole attribute of this name; nullopt: it is none of them.
std::optional<Gap> GapOfAttr(std::string_view name);
// Empty: the gap is no whole attribute.
std::string_view AttrOfGap(Gap gap);

// How a form writes it: one line a value, so much deeper than the fields of the node.
struct GapField {
  Gap gap;
  std::string_view field;
  size_t depth;
  bool zero;   // a single number is written where it is 0, too
  bool words;  // kConstant: true and false rather than 1 and 0
};

// Called where a gap has its place.
using GapFn = std::function<void(Gap)>;

// How a form writes nodes.
struct NodeForm {
  std::array<GapField, kNumGaps> gaps;  // in the order of the enumerators
  // Leaves a place for a whole attribute only where it has one at this detail.
  void (*print)(const openatc::ge::OpDef& op, int detail, TextWriter& text, const GapFn& gap);
  // What stands around the values of a whole attribute.
  void (*print_attr)(Gap gap, TextWriter& text, const std::function<void()>& values);
};

struct NodeText {
  struct Place {
    size_t at;  // in `text`
    Gap gap;
  };
  std::string text;
  std::vector<Place> gaps;
};

// What is kept from one text to the next of a form at a detail.
struct NodeTexts {
  std::vector<NodeText> known;  // by the number that snapshots give them
  fmt::memory_buffer buffer;
};

// Writes the nodes of one graph of a snapshot after the other.
class NodeWriter {
 public:
  // `texts` grows by what the snapshot brings, so that it is written whole.
  NodeWriter(const StageSnapshot& snapshot, const NodeForm& form, NodeTexts* texts, TextWriter& text);

  // What stands in the graph's record before the nodes; names as they stand between quotation marks. Nodes stand at the
  // depth of the text.
  struct Output {
    std::string_view name;  // of a node; an absent one has neither name
    int32_t index;
    int32_t dtype;
    std::span<const int64_t> dims;
  };
  void BeginGraph(const GraphRecord& graph);
  const std::vector<std::string_view>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }

  // All nodes of the graph.
  void Write();

 private:
  // Fields of the records in hand.
  struct View {
    std::span<const NodeRecord::End> inputs, targets;
    std::span<const int32_t> outputs;
    std::span<const int64_t> input_offsets, output_offsets, workspaces, workspace_bytes;
    std::span<const char> constants;
    std::vector<std::string_view> origins, reasons;
    std::string_view engine;
  };
  // Around the values of a gap: nothing but for whole attributes.
  struct Frame {
    std::string before, after;
    std::string line;  // before each value
  };

  void WriteNode();
  // The next prototype.
  void Print(TextWriter& text, const GapFn& gap);
  Frame MakeFrame(const GapField& field) const;
  void Fill(Gap gap);
  void FillAttr(const Frame& frame, std::span<const std::string_view> values);
  void Fill(const NodeText& text);

  const StageSnapshot& snapshot_;
  const NodeForm& form_;
  std::vector<NodeText>& texts_;
  TextWriter& text_;
  google::protobuf::Arena arena_;  // of the message of one node
  size_t depth_ = SIZE_MAX;        // that the frames are for
  std::array<Frame, kNumGaps> frames_;  // by gap
  size_t prototype_ = 0;                // the next one
  // Of the graph in hand.
  std::vector<std::string_view> inputs_;
  std::vector<Output> outputs_;
  std::string escaped_;                  // all names
  std::vector<std::string_view> names_;  // by place
  WordReader words_{nullptr};
  WordReader remarks_{nullptr};
  const GraphRecord* graph_ = nullptr;
  // Of the node in hand.
  uint32_t place_ = 0;
  NodeRecord record_;
  View view_;
};

}  // namespace atc
