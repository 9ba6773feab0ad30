// ge::Graph: looking at a graph.
#include "graph/graph.h"

#include "compiler/ir/error.h"
#include "plugins/sdk/convert.h"
#include "plugins/sdk/handles.h"

namespace ge {
namespace {

atc::Graph* Get(const std::shared_ptr<GraphImpl>& impl) { return impl ? impl->Get() : nullptr; }

// Topological; while a pass has made a cycle, which is found out when it returns, by id.
std::vector<atc::NodeId> Order(const atc::Graph& graph) {
  try {
    return graph.TopologicalOrder();
  } catch (const atc::Error&) {
    std::vector<atc::NodeId> order;
    for (atc::NodeId id = 0; id < graph.node_capacity(); ++id) {
      if (graph.node(id).alive) order.push_back(id);
    }
    return order;
  }
}

void AddNested(const std::shared_ptr<GraphImpl>& impl, std::vector<std::shared_ptr<GraphImpl>>* found) {
  const atc::Graph* graph = impl->Get();
  if (graph == nullptr) return;
  for (const atc::NodeId id : Order(*graph)) {
    const atc::Node& node = graph->node(id);
    for (size_t i = 0; i < node.subgraphs.size(); ++i) {
      found->push_back(std::make_shared<GraphImpl>(std::make_shared<NodeImpl>(impl, node), i));
      AddNested(std::shared_ptr<GraphImpl>(found->back()), found);
    }
  }
}

void AddNodes(const std::shared_ptr<GraphImpl>& impl, std::vector<GNode>* found) {
  const atc::Graph* graph = impl->Get();
  if (graph == nullptr) return;
  for (const atc::NodeId id : Order(*graph)) found->push_back(Access::Wrap(impl, graph->node(id)));
}

atc::DumpForm Form(Graph::DumpFormat format) {
  switch (format) {
    case Graph::DumpFormat::kOnnx: return atc::DumpForm::kOnnx;
    case Graph::DumpFormat::kTxt: return atc::DumpForm::kProto;
    case Graph::DumpFormat::kReadable: break;
  }
  return atc::DumpForm::kReadable;
}

}  // namespace

bool Graph::IsValid() const { return Get(impl_) != nullptr; }

graphStatus Graph::GetName(AscendString& name) const {
  const atc::Graph* graph = Get(impl_);
  if (graph == nullptr) return GRAPH_FAILED;
  name = AscendString(graph->name.data(), graph->name.size());
  return GRAPH_SUCCESS;
}

std::vector<GNode> Graph::GetDirectNode() const {
  std::vector<GNode> found;
  if (impl_) AddNodes(impl_, &found);
  return found;
}

std::vector<GNode> Graph::GetAllNodes() const {
  std::vector<GNode> found;
  if (!impl_) return found;
  std::vector<std::shared_ptr<GraphImpl>> graphs = {impl_};
  AddNested(impl_, &graphs);
  for (const auto& graph : graphs) AddNodes(graph, &found);
  return found;
}

GNodePtr Graph::FindNodeByName(const AscendString& name) const {
  const atc::Graph* graph = Get(impl_);
  const atc::Node* node = graph == nullptr ? nullptr : graph->Find(name.GetString());
  return node == nullptr ? nullptr : Access::WrapPtr(impl_, *node);
}

std::vector<GraphPtr> Graph::GetAllSubgraphs() const {
  std::vector<GraphPtr> found;
  if (!impl_) return found;
  std::vector<std::shared_ptr<GraphImpl>> graphs;
  AddNested(impl_, &graphs);
  if (!impl_->owner && impl_->loose == nullptr) {
    for (const auto& graph : impl_->session->loose) {
      graphs.push_back(std::make_shared<GraphImpl>(impl_->session, graph.get()));
    }
  }
  for (auto& graph : graphs) found.push_back(Access::WrapPtr(std::move(graph)));
  return found;
}

GraphPtr Graph::GetSubGraph(const char* name) const {
  if (name == nullptr) return nullptr;
  for (GraphPtr& graph : GetAllSubgraphs()) {
    AscendString has;
    if (graph->GetName(has) == GRAPH_SUCCESS && has == AscendString(name)) return graph;
  }
  return nullptr;
}

ConstGraphPtr Graph::GetParentGraph() const {
  if (Get(impl_) == nullptr || !impl_->owner) return nullptr;
  return Access::WrapPtr(std::shared_ptr<GraphImpl>(impl_->owner->graph));
}

GNodePtr Graph::GetParentNode() const {
  if (Get(impl_) == nullptr || !impl_->owner) return nullptr;
  return Access::WrapPtr(impl_->owner);
}

graphStatus Graph::GetAttr(const AscendString& name, AttrValue& value) const {
  const atc::Graph* graph = Get(impl_);
  const atc::AttrValue* found = graph == nullptr ? nullptr : graph->attrs.Find(atc::Name(name.GetString()));
  if (found == nullptr) return GRAPH_FAILED;
  std::optional<AttrValue> copy = ToPublic(*found);
  if (!copy) return GRAPH_FAILED;
  value = std::move(*copy);
  return GRAPH_SUCCESS;
}

graphStatus Graph::SetAttr(const AscendString& name, const AttrValue& value) {
  atc::Graph* graph = impl_ ? impl_->Editable() : nullptr;
  std::optional<atc::AttrValue> copy = ToInternal(value);
  if (graph == nullptr || !copy) return GRAPH_FAILED;
  graph->attrs.Set(atc::Name(name.GetString()), std::move(*copy));
  return GRAPH_SUCCESS;
}

graphStatus Graph::Dump(DumpFormat format, std::ostream& out) const {
  const atc::Graph* graph = Get(impl_);
  const atc::PassHost* host = atc::CurrentHost();
  if (graph == nullptr || host == nullptr || !host->write_dump) return GRAPH_FAILED;
  host->write_dump(Form(format), *graph, out);
  return out.good() ? GRAPH_SUCCESS : GRAPH_FAILED;
}

graphStatus Graph::DumpToFile(DumpFormat format, const AscendString& suffix) const {
  const atc::Graph* graph = Get(impl_);
  const atc::PassHost* host = atc::CurrentHost();
  if (graph == nullptr || host == nullptr || !host->write_dump_file) return GRAPH_FAILED;
  return host->write_dump_file(Form(format), suffix.GetString(), *graph) ? GRAPH_SUCCESS : GRAPH_FAILED;
}

}  // namespace ge
