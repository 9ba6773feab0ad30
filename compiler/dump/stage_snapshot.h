// What the texts of a stage say, taken off the graph, so that they can be written while the graph goes on changing.
// Most nodes of a model share their text with others but for names, wiring and places: a snapshot holds what differs
// as plain words, and a copy of a node only where no node before it was like it.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "compiler/om/graph_list.h"
#include "compiler/om/op_wiring.h"

namespace atc {

// A list of words; readers take from it what was put, in order.
class WordWriter {
 public:
  // Elements side by side, padded to whole words.
  template <typename T>
  void Put(const T* values, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return;
    const size_t at = words_.size();
    words_.resize(at + (count * sizeof(T) + 7) / 8);
    std::memcpy(&words_[at], values, count * sizeof(T));
  }
  void Put(std::string_view text) {
    words_.push_back(text.size());
    Put(text.data(), text.size());
  }
  void Put(uint64_t word) { words_.push_back(word); }

  std::vector<uint64_t>& words() { return words_; }

 private:
  std::vector<uint64_t> words_;
};

class WordReader {
 public:
  explicit WordReader(const uint64_t* at) : at_(at) {}

  template <typename T>
  std::span<const T> Take(size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);
    const auto* values = reinterpret_cast<const T*>(at_);
    at_ += (count * sizeof(T) + 7) / 8;
    return {values, count};
  }
  std::string_view Text() {
    const std::span<const char> text = Take<char>(Word());
    return {text.data(), text.size()};
  }
  uint64_t Word() { return *at_++; }

 private:
  const uint64_t* at_;
};

// One node: this, then the lists in this order.
struct NodeRecord {
  // The other end of an edge: the place of a node in its graph (kNoId: absent) and its output or input; -1: control.
  struct End {
    uint32_t place;
    int32_t index;
  };

  uint32_t text;       // number of the text that it shares; kNoId: it has its own
  uint32_t prototype;  // in StageSnapshot::prototypes; kNoId: a stage before has brought it
  int32_t stream;
  uint32_t fused;  // in StageSnapshot::graphs; kNoId: none
  uint32_t inputs;   // End
  uint32_t targets;  // End
  uint32_t outputs;  // int32_t: those that have readers, -1 for control edges
  uint32_t input_offsets;  // int64_t, as the four below
  uint32_t output_offsets;
  uint32_t workspaces;
  uint32_t workspace_bytes;
  uint32_t constants;  // char, by input; none where no input is a constant
  uint32_t origins;    // texts, as the two below
  uint32_t reasons;
  uint32_t engines;  // 0 or 1
  uint32_t unused = 0;
};

struct GraphRecord {
  struct Output {
    NodeRecord::End end;  // absent: place kNoId
    int32_t dtype;
    uint32_t rank;  // so many dims follow
  };

  std::string name;       // as listed
  AttrMap attrs;
  uint32_t first_id = 0;  // of its nodes
  uint32_t nodes = 0;
  // In StageSnapshot::words: number and places (uint32_t) of the inputs, number of outputs, the outputs with their dims,
  // the names of the nodes, the nodes.
  size_t at = 0;
};

struct StageSnapshot {
  int detail = 0;
  std::vector<GraphRecord> graphs;  // the root first
  std::vector<uint64_t> words;
  // Graphs of one node each, the last in it, and what it reads.
  std::vector<std::unique_ptr<Graph>> prototypes;
  bool forget = false;  // texts of stages before are numbered anew from here on
  size_t nodes = 0;

  // Whether this, the next of a taker, says word for word what `before` says.
  bool SaysAsMuchAs(const StageSnapshot& before) const;
};

// Bytes that are put together one after the other, from the start again and again.
class KeyBuffer {
 public:
  void Append(const void* bytes, size_t size) {
    if (size_ + size > bytes_.size()) bytes_.resize(2 * (size_ + size));
    std::memcpy(bytes_.data() + size_, bytes, size);
    size_ += size;
  }
  void clear() { size_ = 0; }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::vector<char> bytes_ = std::vector<char>(1024);
  size_t size_ = 0;
};

// Takes snapshots of one stage after the other at one detail (see forms.h).
class SnapshotTaker {
 public:
  // `share`: false where each node is to be printed for itself.
  explicit SnapshotTaker(int detail, bool share = true) : detail_(detail), share_(share) {}

  StageSnapshot Take(const GraphList& graphs);

 private:
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const;
  };

  void TakeGraph(const GraphList& graphs, const ListedGraph& listed, bool nested, GraphRecord* to);
  void TakeNode(const GraphList& graphs, const ListedGraph& listed, const Node& node, bool nested);
  // Sets the number of the text and, where the text is yet to be made, the prototype.
  void FindText(const GraphList& graphs, const ListedGraph& listed, const Node& node, bool nested, NodeRecord* record);

  const int detail_;
  const bool share_;
  std::unordered_map<std::string, uint32_t, KeyHash, std::equal_to<>> texts_;  // by what makes texts alike
  size_t bytes_ = 0;                                          // of their keys
  size_t last_words_ = 0;
  // In use while a snapshot is taken.
  StageSnapshot* snapshot_ = nullptr;
  WordWriter words_;
  OpWiring wiring_;
  KeyBuffer key_;
  std::string reason_;
  std::vector<NodeRecord::End> ends_;
  std::vector<int32_t> outputs_;
  std::unordered_map<const Graph*, uint32_t> places_;
};

}  // namespace atc
