#include "compiler/streams/engines.h"

#include <cassert>
#include <string>

namespace atc {
namespace {

constexpr Engine kEngines[] = {
    {"AIcoreEngine", false, false, false, 1}, {"DNN_HCCL", true, false, false, 2},
    {"DNN_VM_AICPU_ASCEND", false, false, true, 3}, {"DNN_VM_GE_LOCAL", false, true, true, 9},
    {"DNN_VM_HOST_CPU", false, true, true, 10}, {"DNN_VM_RTS", false, false, true, 2},
};

struct UnitRow {
  Unit unit;
  std::string_view engine;
  std::string_view rule;
};

constexpr UnitRow kUnits[] = {
    {Unit::kVector, "AIcoreEngine", "vector unit"}, {Unit::kCube, "AIcoreEngine", "cube unit"},
    {Unit::kAiCpu, "DNN_VM_AICPU_ASCEND", "AI CPU"}, {Unit::kLocal, "DNN_VM_GE_LOCAL", "no computation"},
    {Unit::kRts, "DNN_VM_RTS", "runtime task"}, {Unit::kHccl, "DNN_HCCL", "communication"},
    {Unit::kHostCpu, "DNN_VM_HOST_CPU", "host"},
};

}  // namespace

const Engine& FindEngine(std::string_view name) {
  for (const Engine& engine : kEngines) {
    if (engine.name == name) return engine;
  }
  assert(false && "no such engine");
  return kEngines[0];
}

void PlaceOnEngines(Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive || !node.engine.empty()) continue;
    // What only renames its input's bytes needs no unit, whatever its definition says.
    const Unit unit = node.Is(kShapeOnly) ? Unit::kLocal : node.def->unit;
    for (const UnitRow& row : kUnits) {
      if (row.unit != unit) continue;
      node.engine = row.engine;
      node.Because("engine", std::string(row.engine) + ": " + std::string(row.rule));
    }
    for (const Subgraph& subgraph : node.subgraphs) PlaceOnEngines(*subgraph.graph);
  }
}

bool EmitsTask(const Graph& graph, const Node& node) {
  if (node.Is(kNoTask)) return false;
  // A view of a constant has no bytes of its own in feature memory to alias, so it is copied by a task.
  return !(node.Is(kShapeOnly) && !node.inputs.empty() && graph.Constant(node.inputs[0]) == nullptr);
}

}  // namespace atc
