#include "plugins/sdk/handles.h"

namespace ge {

GraphImpl::GraphImpl(std::shared_ptr<NodeImpl> node, size_t subgraph)
    : session(node->graph->session), owner(std::move(node)), index(subgraph) {}

atc::Graph* GraphImpl::Get() const {
  if (loose != nullptr) {
    for (const auto& graph : session->loose) {
      if (graph.get() == loose) return graph.get();
    }
    return nullptr;
  }
  if (!owner) return session->root;
  const atc::Node* node = owner->Get();
  return node != nullptr && index < node->subgraphs.size() ? node->subgraphs[index].graph.get() : nullptr;
}

atc::Node* NodeImpl::Get() const {
  atc::Graph* where = graph->Get();
  if (where == nullptr) return nullptr;
  if (id_ < where->node_capacity()) {
    atc::Node& node = where->node(id_);
    if (node.alive && node.name == name_) return &node;
  }
  atc::Node* node = where->Find(name_);
  if (node != nullptr) id_ = node->id;
  return node;
}

}  // namespace ge
