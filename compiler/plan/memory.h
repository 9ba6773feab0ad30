// Where each value lives in feature memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/plan/buffers.h"

namespace atc {

struct MemoryPlan {
  int64_t memory_size = 0;            // bytes of feature memory, inputs and outputs of the model included
  int64_t zero_copy_memory_size = 0;  // its tail: inputs and outputs of the model, which are never shared
  int64_t lower_bound = 0;            // bytes that any plan needs, the tail included; see lower_bound.h
  bool lower_bound_exact = false;     // no higher bound follows from lifetimes
  int64_t without_reuse = 0;          // what it would be if nothing shared memory
  std::string strategy;               // the one whose result was the smallest
  std::vector<PlannedBuffer> tail;    // inputs and outputs of the model, as placed
};

// Plans a graph of known shapes whose nodes have streams, and sets Value::offset. Two buffers share bytes only if every
// use of one is over before the other is written, by happens-before over the streams. Several placements are tried and
// the smallest is taken, the first of equals. `reuse` false gives every buffer bytes of its own.
// Buffers of `no_reuse` share with nobody.
MemoryPlan PlanMemory(Graph& graph, bool reuse, const NoReuse& no_reuse = {});

// The attribute by which a node asks for workspaces, bytes of feature memory that are its own while its task runs: one
// for each element, of so many bytes.
inline constexpr const char* kWorkspaceBytes = "_workspace_bytes";

// Sets Value::size of everything but constants to what it takes when it lies alone; a plan may take the padding off parts
// of a larger one. Shapes are known.
void SetTensorSizes(Graph& graph);

// Sets Node::workspace_bytes of the tasks that ask for it. Throws Error E19999 for a negative size.
void AskForWorkspaces(Graph& graph, const std::function<bool(const Node&)>& is_task);

// The entries of OP_NO_REUSE_MEM, separated by commas: at most 10, of at most 2000 characters in all, else E10001.
NoReuse NoReuseOfProcess();

}  // namespace atc
