#include "plugins/sdk/infer_alone.h"

#include "compiler/ir/error.h"
#include "compiler/ops/inference.h"

namespace ge {

bool InferAlone(atc::Graph& graph, atc::Node& node) {
  if (node.def->infer == nullptr && !node.fused) return false;
  // In a graph of its own, so that nothing around it is looked at.
  atc::Graph alone("one node");
  std::vector<atc::ValueId> inputs;
  for (const atc::ValueId input : node.inputs) {
    if (input == atc::kNoId) {
      inputs.push_back(atc::kNoId);
    } else if (const atc::Tensor* constant = graph.Constant(input)) {
      inputs.push_back(alone.AddConst("", *constant));
    } else {
      inputs.push_back(alone.AddData("", static_cast<int64_t>(inputs.size()), graph.desc(input)));
    }
  }
  atc::Node& copy = alone.Add(*node.def, node.name, inputs, node.outputs.size());
  copy.attrs = node.attrs;
  if (node.fused) copy.fused = node.fused->Clone();
  for (const atc::Subgraph& subgraph : node.subgraphs) {
    copy.subgraphs.push_back({subgraph.name, subgraph.graph->Clone()});
    copy.subgraphs.back().graph->parent_graph = &alone;
    copy.subgraphs.back().graph->parent_node = copy.id;
  }
  try {
    atc::InferShapes(alone);
  } catch (const atc::Error&) {
    return false;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) graph.desc(node.outputs[i]) = alone.desc(copy.outputs[i]);
  return true;
}

void InferUndescribed(atc::Graph& graph) {
  for (const atc::NodeId id : graph.TopologicalOrder()) {
    atc::Node& node = graph.node(id);
    for (const atc::ValueId output : node.outputs) {
      if (graph.desc(output).dtype == atc::DT_UNDEFINED) {
        InferAlone(graph, node);
        break;
      }
    }
  }
}

}  // namespace ge
