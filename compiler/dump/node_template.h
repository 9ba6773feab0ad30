// The text of a node with gaps where nodes that are otherwise alike differ: most nodes of a model share their text with many
// others, and with themselves in the stage before.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/dump/text_writer.h"
#include "compiler/om/graph_list.h"
#include "compiler/om/op_wiring.h"

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

// How a form writes it: one line a value, so much deeper than the fields of the node.
struct GapField {
  Gap gap;
  std::string_view field;
  size_t depth;
  bool zero;   // a single number is written where it is 0, too
  bool words;  // kConstant: true and false rather than 1 and 0
};

struct NodeTemplate {
  struct Place {
    size_t at;  // in `text`
    Gap gap;
  };
  std::string text;
  std::vector<Place> gaps;
};

// Templates of one form at one detail, by what makes the text of nodes alike.
class NodeTemplates {
 public:
  // Null where there is none yet. What is found holds until the next call of Add.
  const NodeTemplate* Find(const std::string& key) const;
  const NodeTemplate& Add(const std::string& key, NodeTemplate made);

 private:
  std::unordered_map<std::string, NodeTemplate> templates_;
  size_t bytes_ = 0;
};

// Writes the nodes of one listed graph after the other.
class NodeWriter {
 public:
  using GapFn = std::function<void(Gap)>;
  // Prints a node, and calls the function where a gap has its place.
  using PrintFn = std::function<void(TextWriter& text, const GapFn& gap)>;

  // `fields` in the order of the enumerators; those of a node stand `depth` deeper than the node.
  NodeWriter(const GraphList& graphs, const std::vector<GapField>& fields, size_t depth, TextWriter& text)
      : graphs_(graphs), fields_(fields), depth_(depth), text_(text) {}

  void BeginGraph(const ListedGraph& listed);
  // `print` is called where `templates` (may be null) do not know the text.
  void Write(const Node& node, int detail, NodeTemplates* templates, const PrintFn& print);

 private:
  // Of the node in hand.
  void Fill(Gap gap);
  void Fill(const NodeTemplate& whole);
  void Numbers(const GapField& field, const auto& values);
  void Number(const GapField& field, int64_t value);
  void Constant(const GapField& field);
  void Reasons(const GapField& field);
  void Texts(const GapField& field, const auto& values);
  void Names(const GapField& field, const std::vector<OpWiring::End>& ends);
  void Inputs(const GapField& field);
  void Outputs(const GapField& field);

  const GraphList& graphs_;
  const std::vector<GapField>& fields_;
  const size_t depth_;
  TextWriter& text_;
  const ListedGraph* listed_ = nullptr;
  const Node* node_ = nullptr;
  size_t base_ = 0;  // depth of the fields of the node
  OpWiring wiring_;
  std::vector<std::string> names_;  // of the nodes, as they stand between quotation marks
  std::string key_;
};

}  // namespace atc
