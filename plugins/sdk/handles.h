// What stands behind ge::Graph and ge::GNode: places in a graph under compilation, looked up anew at every call, so
// that a handle that outlives its node, its graph or the conversion fails instead of reading what is gone.
#pragma once

#include <memory>
#include <string>

#include "compiler/ir/graph.h"
#include "graph/graph.h"
#include "plugins/sdk/pass_host.h"
#include "register/register_custom_pass.h"

namespace ge {

// One conversion.
struct Session {
  atc::Graph* root = nullptr;           // null once the conversion is over
  const atc::PassHost* host = nullptr;  // null once the conversion is over
  bool read_only = false;               // a stream pass is running
  std::string pass;                     // the name of the one that is running
};

class GraphImpl {
 public:
  explicit GraphImpl(std::shared_ptr<Session> whose) : session(std::move(whose)) {}
  GraphImpl(std::shared_ptr<NodeImpl> node, size_t subgraph);

  // Null when it is gone.
  atc::Graph* Get() const;
  // Null when it is gone or may not be changed now.
  atc::Graph* Editable() const { return session->read_only ? nullptr : Get(); }

  const std::shared_ptr<Session> session;
  const std::shared_ptr<NodeImpl> owner;  // null: the root graph
  const size_t index = 0;                 // into Node::subgraphs of the owner
};

class NodeImpl {
 public:
  NodeImpl(std::shared_ptr<GraphImpl> where, const atc::Node& node)
      : graph(std::move(where)), name_(node.name), id_(node.id) {}

  // Null when it is gone. Ids change when the graph is renumbered, names do not.
  atc::Node* Get() const;
  const std::string& name() const { return name_; }

  const std::shared_ptr<GraphImpl> graph;

 private:
  const std::string name_;
  mutable atc::NodeId id_;
};

struct Access {
  static GNode Wrap(const std::shared_ptr<GraphImpl>& graph, const atc::Node& node) {
    GNode handle;
    handle.impl_ = std::make_shared<NodeImpl>(graph, node);
    return handle;
  }
  static GNodePtr WrapPtr(const std::shared_ptr<GraphImpl>& graph, const atc::Node& node) {
    return std::make_shared<GNode>(Wrap(graph, node));
  }
  static GNodePtr WrapPtr(const std::shared_ptr<NodeImpl>& node) {
    GNodePtr handle = std::make_shared<GNode>();
    handle->impl_ = node;
    return handle;
  }
  static GraphPtr WrapPtr(std::shared_ptr<GraphImpl> graph) {
    GraphPtr handle = std::make_shared<Graph>();
    handle->impl_ = std::move(graph);
    return handle;
  }
  static const std::shared_ptr<NodeImpl>& Impl(const GNode& node) { return node.impl_; }
  static const std::shared_ptr<GraphImpl>& Impl(const Graph& graph) { return graph.impl_; }
  static atc::Node* Get(const GNode& node) { return node.impl_ ? node.impl_->Get() : nullptr; }
  // The node if it is one of `graph` itself.
  static atc::Node* Get(const GNode& node, const atc::Graph& graph) {
    return node.impl_ && node.impl_->graph->Get() == &graph ? node.impl_->Get() : nullptr;
  }
  static void Bind(CustomPassContext& context, std::shared_ptr<Session> session, const std::string& pass);
  static void Bind(StreamPassContext& context, const atc::Graph& graph);
  // Nodes for which SetStreamId had no effect.
  static int64_t WithoutTask(const StreamPassContext& context);
};

}  // namespace ge
