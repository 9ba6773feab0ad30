// The graph that a fused task owns, for the shapes and constants of the task.
#pragma once

#include <map>
#include <memory>

#include "backend/kernels/kernel.h"

namespace atc::kernels {

struct FusedGraph {
  std::unique_ptr<Graph> graph;   // in float where the task is in half; small constants are Const nodes
  std::map<ValueId, int> ports;   // of values that come from outside
};

// The graph of spec.node, all shapes inferred; without a graph where it has none or inference fails.
FusedGraph MakeFusedGraph(const KernelSpec& spec);

}  // namespace atc::kernels
