#include "ge/fusion/infer_shape_util.h"

#include <map>
#include <utility>

#include "compiler/ir/error.h"
#include "compiler/ops/inference.h"
#include "ge/ge_utils.h"
#include "plugins/sdk/convert.h"
#include "plugins/sdk/fusion/match_result_impl.h"
#include "plugins/sdk/fusion/node_boundary.h"

namespace ge {
namespace {

// Infers on a copy, in which constants may take the place of inputs, and takes the descriptions over.
Status Infer(atc::Graph& graph, const std::map<atc::NodeId, const atc::Tensor*>& constants) {
  const std::unique_ptr<atc::Graph> copy = graph.Clone();
  for (const auto& [data, tensor] : constants) {
    copy->ReplaceUses(copy->node(data).outputs[0], copy->AddConst("", *tensor));
  }
  try {
    atc::InferShapes(*copy);
  } catch (const atc::Error&) {
    return FAILED;
  }
  for (atc::ValueId id = 0; id < graph.value_capacity(); ++id) graph.desc(id) = copy->desc(id);
  return SUCCESS;
}

atc::Graph* Editable(const Graph& graph) {
  const auto& impl = Access::Impl(graph);
  return impl == nullptr ? nullptr : impl->Editable();
}

}  // namespace

namespace fusion {

SubgraphBoundary BoundaryOf(const GNode& node) {
  SubgraphBoundary boundary;
  const atc::Node* found = Access::Get(node);
  if (found == nullptr) return boundary;
  std::vector<atc::ValueId> values;
  std::vector<SubgraphInput> inputs;
  for (size_t i = 0; i < found->inputs.size(); ++i) {
    if (found->inputs[i] == atc::kNoId) continue;
    size_t place = 0;
    while (place < values.size() && values[place] != found->inputs[i]) ++place;
    if (place == values.size()) {
      values.push_back(found->inputs[i]);
      inputs.emplace_back();
    }
    inputs[place].AddInput({node, static_cast<int64_t>(i)});
  }
  std::vector<SubgraphOutput> outputs;
  for (size_t i = 0; i < found->outputs.size(); ++i) outputs.emplace_back(NodeIo{node, static_cast<int64_t>(i)});
  return SubgraphBoundary(std::move(inputs), std::move(outputs));
}

Status InferShapeUtil::InferShape(const Graph& replacement, const SubgraphBoundary& boundary) {
  atc::Graph* graph = Editable(replacement);
  if (graph == nullptr) return FAILED;
  std::vector<SubgraphInput> inputs;
  boundary.GetAllInputs(inputs);
  const std::vector<atc::NodeId> data = graph->Inputs();
  if (data.size() > inputs.size()) return FAILED;
  std::map<atc::NodeId, const atc::Tensor*> constants;
  for (size_t i = 0; i < data.size(); ++i) {
    const std::vector<NodeIo> ports = inputs[i].GetAllInputs();
    if (ports.empty()) continue;
    const atc::Node* node = Access::Get(ports[0].node);
    const size_t port = static_cast<size_t>(ports[0].index);
    if (node == nullptr || port >= node->inputs.size() || node->inputs[port] == atc::kNoId) return FAILED;
    const atc::Graph& outside = *Access::Impl(ports[0].node)->graph->Get();
    graph->desc(graph->node(data[i]).outputs[0]) = outside.desc(node->inputs[port]);
    if (const atc::Tensor* constant = outside.Constant(node->inputs[port])) constants[data[i]] = constant;
  }
  return Infer(*graph, constants);
}

Status InferShapeUtil::InferShape(const Graph& replacement, const MatchResult& match) {
  const auto boundary = match.ToSubgraphBoundary();
  return boundary == nullptr ? FAILED : InferShape(replacement, *boundary);
}

Status InferShapeUtil::InferShape(const Graph& replacement, const GNode& node) {
  return InferShape(replacement, BoundaryOf(node));
}

}  // namespace fusion

Status GeUtils::InferShape(const Graph& graph, const std::vector<Shape>& input_shapes) {
  atc::Graph* inside = Editable(graph);
  if (inside == nullptr) return FAILED;
  const std::vector<atc::NodeId> data = inside->Inputs();
  if (data.size() != input_shapes.size()) return FAILED;
  for (size_t i = 0; i < data.size(); ++i) {
    inside->desc(inside->node(data[i]).outputs[0]).SetShape(atc::Shape(input_shapes[i].GetDims()));
  }
  return Infer(*inside, {});
}

Status GeUtils::CheckNodeSupportOnAicore(const GNode& node, bool& supported, AscendString& reason) {
  const atc::Node* found = Access::Get(node);
  if (found == nullptr) return FAILED;
  const atc::OpDef* def = atc::OpRegistry::Get().Find(found->type());
  supported = found->fused != nullptr || def != nullptr;
  if (!supported) {
    reason = AscendString(("the compiler has no operator of type " + found->type().str()).c_str());
  }
  return SUCCESS;
}

}  // namespace ge
