// Where each constant lies in the om's WEIGHTS_DATA.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/io/byte_sink.h"
#include "compiler/om/graph_list.h"

namespace atc {

// Every constant starts on a multiple of this; the first so many bytes are unused, for offset 0 means "none".
inline constexpr int64_t kWeightAlign = 512;

struct PlacedConstant {
  int64_t offset = 0;  // 0: no bytes in WEIGHTS_DATA (empty, or strings, which stay in the graph)
  int64_t bytes = 0;   // as stored
  DataType dtype = DT_UNDEFINED;
  Shape shape;   // as stored
  Shape spread;  // of the constant, to which what is stored is broadcast
};

// The value of a Const as it is stored: without repetitions where that saves space. Made anew at each call where it is
// deferred. Throws Error E19999 where there is none.
Tensor StoredConstant(const Node& node);

class WeightLayout {
 public:
  // What is placed once, by offset.
  struct Content {
    const Graph* graph;
    NodeId node;
    int64_t offset;
    uint64_t hash;
  };

  // Looks at the value of every Const, deferred ones one at a time; equal contents are placed once.
  explicit WeightLayout(const GraphList& graphs);

  const PlacedConstant& Find(const Graph& graph, NodeId node) const { return places_.at({&graph, node}); }

  // Bytes of WEIGHTS_DATA; 0 without constants.
  int64_t size() const { return size_; }
  // Of all placed contents and their offsets; the reader computes the same.
  uint64_t hash() const { return hash_; }
  const std::vector<Content>& contents() const { return contents_; }
  void Write(ByteSink& out) const;

 private:
  std::map<std::pair<const Graph*, NodeId>, PlacedConstant> places_;  // looked up, never walked
  std::vector<Content> contents_;                                     // by offset
  int64_t size_ = 0;
  uint64_t hash_ = 0;
};

}  // namespace atc
