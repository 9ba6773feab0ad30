// What needs a place in feature memory: one buffer for all values that must share their bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/plan/happens_before.h"

namespace atc {

inline constexpr int64_t kBlockAlign = 512;

struct PlannedBuffer {
  enum Kind : uint8_t { kFeature, kInput, kOutput };
  // A value by where it begins, in bytes from the begin of the buffer.
  struct Held {
    ValueId value;
    int64_t at;
  };

  Kind kind = kFeature;
  std::vector<Held> values;      // that alias each other, are parts of each other, or are written over each other
  NodeId workspace_of = kNoId;   // without values: the bytes that this task works on,
  size_t workspace = 0;          // of those the so-and-so-many-th
  int64_t size = 0;              // bytes, a multiple of kBlockAlign
  std::vector<NodeId> writers;   // who writes before anything is written over; of parts all who write one
  std::vector<NodeId> users;     // writers included: every node that touches the bytes
  int64_t offset = -1;
  int64_t in_place = 0;  // bytes that what is written over an input would take elsewhere
  bool shares = true;    // false: its bytes serve nothing else, before or after
};

// Whose outputs have bytes of their own: names of nodes, or types, which also stand for their later versions ("MatMul"
// for "MatMulV2"). A node with the attribute no_reuse_mem_flag is as good as named.
using NoReuse = std::vector<std::string>;

inline constexpr const char* kNoReuseFlag = "no_reuse_mem_flag";

// Bytes that a tensor takes in feature memory: ((bytes + 63) / 32) * 32, so an empty one takes 32 (GE's rule).
int64_t PaddedTensorBytes(const TensorDesc& desc);

// All buffers of a graph of known shapes, in launch order of their first writers. Sets Value::size. Constants have no
// buffer: they live in the weights. Values that must lie in each other are one symbol first: what a node with kShapeOnly
// gives is its first input unless that is a constant, and what a node without task joins or parts lies in its whole
// (parts.h). Workspaces (Node::workspace_bytes) live as long as their task. With `before`, a task that may (in_place.h)
// writes over an input, where all others that use that one are over before the task starts, and neither of both leaves
// the model.
std::vector<PlannedBuffer> CollectBuffers(Graph& graph, const std::vector<NodeId>& launch_order,
                                          const NoReuse& no_reuse = {}, const HappensBefore* before = nullptr);

}  // namespace atc
