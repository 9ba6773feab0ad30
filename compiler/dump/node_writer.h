// The text of nodes, with gaps where nodes that are otherwise alike differ.
#pragma once

#include <google/protobuf/arena.h>

#include <array>
#include <cstdint>
#include <functional>
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
  kOrigins,
  kReasons,
  kEngine,
  kFused,
};
inline constexpr size_t kNumGaps = 18;

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
  void (*print)(const openatc::ge::OpDef& op, int detail, TextWriter& text, const GapFn& gap);
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
  // Fields of the record in hand.
  struct View {
    std::span<const NodeRecord::End> inputs, targets;
    std::span<const int32_t> outputs;
    std::span<const int64_t> input_offsets, output_offsets, workspaces, workspace_bytes;
    std::span<const char> constants;
    std::vector<std::string_view> origins, reasons, engines;
  };

  void WriteNode();
  void Print(TextWriter& text, const Graph& prototype, const GapFn& gap);
  void Fill(Gap gap);
  void Fill(const NodeText& text);

  const StageSnapshot& snapshot_;
  const NodeForm& form_;
  std::vector<NodeText>& texts_;
  TextWriter& text_;
  google::protobuf::Arena arena_;  // of the message of one node
  size_t depth_ = SIZE_MAX;        // that the lines below are for
  std::array<std::string, kNumGaps> before_;  // by gap, what stands before a value in its line
  // Of the graph in hand.
  std::vector<std::string_view> inputs_;
  std::vector<Output> outputs_;
  std::string escaped_;                  // all names
  std::vector<std::string_view> names_;  // by place
  WordReader words_{nullptr};
  const GraphRecord* graph_ = nullptr;
  // Of the node in hand.
  uint32_t place_ = 0;
  NodeRecord record_;
  View view_;
};

}  // namespace atc
