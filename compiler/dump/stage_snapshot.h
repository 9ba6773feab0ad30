// What the texts of a stage say, taken off the graph, so that they can be written while the graph goes on changing.
// Most nodes of a model share their text with others but for names, wiring and places: a snapshot holds what differs
// as plain words, and a copy of a node only where no node before it was like it.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "compiler/om/graph_list.h"
#include "compiler/om/op_wiring.h"

namespace atc {

// A list of words; readers take from it what was put, in order. Room is not cleared before it is written.
class WordList {
 public:
  // Elements side by side, padded to whole words.
  template <typename T>
  void Put(const T* values, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return;
    const size_t size = (count * sizeof(T) + 7) / 8;
    uint64_t* to = Add(size);
    if constexpr (sizeof(T) % 8 != 0) to[size - 1] = 0;
    std::memcpy(to, values, count * sizeof(T));
  }
  void Put(std::string_view text) {
    Put(uint64_t{text.size()});
    Put(text.data(), text.size());
  }
  void Put(uint64_t word) { *Add(1) = word; }

  void clear() { size_ = 0; }
  void Reserve(size_t size) {
    if (size > room_) Grow(size);
  }
  size_t size() const { return size_; }
  const uint64_t* data() const { return words_.get(); }
  bool operator==(const WordList& other) const {
    return size_ == other.size_ && (size_ == 0 || std::memcmp(data(), other.data(), size_ * sizeof(uint64_t)) == 0);
  }

 private:
  uint64_t* Add(size_t size) {
    if (size_ + size > room_) Grow(size_ + size);
    uint64_t* at = words_.get() + size_;
    size_ += size;
    return at;
  }
  void Grow(size_t least);

  std::unique_ptr<uint64_t[]> words_;
  size_t size_ = 0;
  size_t room_ = 0;
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

  uint32_t text;  // number of the text that it shares; kNoId: it has its own
  int32_t stream;
  uint32_t fused;          // in StageSnapshot::graphs; kNoId: none
  uint32_t inputs;         // End
  uint32_t targets;        // End
  uint32_t outputs;        // int32_t: those that have readers, -1 for control edges
  uint32_t input_offsets;  // int64_t, as the four below
  uint32_t output_offsets;
  uint32_t workspaces;
  uint32_t workspace_bytes;
  uint32_t constants;  // char, by input; none where no input is a constant
};

// What forms may leave out of one node: this, then the origins, the reasons and, empty where there is none, the engine.
struct RemarksRecord {
  uint32_t origins;
  uint32_t reasons;
};

struct GraphRecord {
  struct Output {
    NodeRecord::End end;  // absent: place kNoId
    int32_t dtype;
    uint32_t rank;  // so many dims follow
  };

  std::string name;  // as listed
  AttrMap attrs;
  uint32_t first_id = 0;  // of its nodes
  uint32_t nodes = 0;
  // In StageSnapshot::words: number and places (uint32_t) of the inputs, number of outputs, the outputs with their dims,
  // the names of the nodes, the nodes.
  size_t at = 0;
  size_t remarks_at = 0;  // in StageSnapshot::remarks: those of the nodes
};

struct StageSnapshot {
  int detail = 0;
  std::vector<GraphRecord> graphs;  // the root first
  WordList words;
  WordList remarks;
  // Graphs of one node each, the last in it, and what it reads: of each node, in order, whose text is its own or new.
  std::vector<std::unique_ptr<Graph>> prototypes;
  bool forget = false;  // texts of stages before are numbered anew from here on
  size_t nodes = 0;

  // Whether this, the next of a taker, says word for word what `before` says, but for the nodes that are in `prototypes`.
  // `remarks`: whether they matter.
  bool SaysAsMuchAs(const StageSnapshot& before, bool remarks) const;
};

// Bytes that are put together one after the other, from the start again and again.
class KeyBuffer {
 public:
  void Append(const void* bytes, size_t size) {
    if (size == 0) return;
    std::memcpy(Room(size), bytes, size);
    size_ += size;
  }
  // Of a known size, which needs no call.
  template <typename T>
  void Put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(Room(sizeof(value)), &value, sizeof(value));
    size_ += sizeof(value);
  }
  void Words(const int64_t* words, size_t count) {
    char* to = Room(count * sizeof(*words));
    for (size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(*words), words + i, sizeof(*words));
    size_ += count * sizeof(*words);
  }
  void clear() { size_ = 0; }
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  char* Room(size_t size) {
    if (size_ + size > bytes_.size()) [[unlikely]]
      bytes_.resize(2 * (size_ + size));
    return bytes_.data() + size_;
  }

  std::vector<char> bytes_ = std::vector<char>(1024);
  size_t size_ = 0;
};

// Takes snapshots of one stage after the other at one detail (see forms.h).
class SnapshotTaker {
 public:
  // `share`: false where each node is to be printed for itself.
  explicit SnapshotTaker(int detail, bool share = true) : detail_(detail), share_(share) {}

  std::shared_ptr<const StageSnapshot> Take(const GraphList& graphs);

 private:
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const;
  };
  using Texts = std::unordered_map<std::string, uint32_t, KeyHash, std::equal_to<>>;

  // Snapshots that nobody reads any more: each page of new memory would cost a fault, and giving it back another delay.
  struct Pool {
    std::mutex mutex;
    std::vector<std::unique_ptr<StageSnapshot>> free;
  };

  std::shared_ptr<StageSnapshot> Begin();
  void TakeGraph(const GraphList& graphs, const ListedGraph& listed, bool nested, GraphRecord* to);
  void TakeNode(const GraphList& graphs, const ListedGraph& listed, const Node& node, bool nested);
  void TakeRemarks(const OriginTable& origins, const Node& node);
  // The number of the text; where the text is yet to be made, the prototype is taken.
  uint32_t FindText(const GraphList& graphs, const ListedGraph& listed, const Node& node, bool nested);

  const int detail_;
  const bool share_;
  const std::shared_ptr<Pool> pool_ = std::make_shared<Pool>();
  size_t last_words_ = 0;  // of the snapshot before
  size_t last_remarks_ = 0;
  Texts texts_;       // numbers, by what makes texts alike
  size_t bytes_ = 0;  // of their keys
  // The text that a node had the last time, by its number in its graph: a first guess.
  std::unordered_map<const Graph*, std::vector<const Texts::value_type*>> last_;
  // Names of sources, by OriginId, as remarks have them.
  struct Names {
    size_t at;  // in origin_words_
    uint32_t words, count;
  };
  std::vector<Names> origins_;
  WordList origin_words_;
  std::unique_ptr<Graph> origins_owner_;  // of nothing but the table that they are from
  // In use while a snapshot is taken.
  StageSnapshot* snapshot_ = nullptr;
  std::vector<const Texts::value_type*>* last_texts_ = nullptr;  // of the graph in hand
  OpWiring wiring_;
  KeyBuffer key_;
  std::vector<int> heart_;
  std::string reason_;
  std::vector<NodeRecord::End> ends_;
  std::vector<int32_t> outputs_;
  std::unordered_map<const Graph*, uint32_t> places_;
};

}  // namespace atc
