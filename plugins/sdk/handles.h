// What stands behind ge::Graph and ge::GNode: places in a graph under compilation, looked up anew at every call, so
// that a handle that outlives its node, its graph or the conversion fails instead of reading what is gone.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/ir/graph.h"
#include "graph/graph.h"
#include "plugins/sdk/pass_host.h"
#include "register/register_custom_pass.h"

namespace ge {

// One conversion, or a graph of its own that a pass has made (a pattern, what replaces it).
struct Session {
  atc::Graph* root = nullptr;           // null once the conversion is over
  const atc::PassHost* host = nullptr;  // null once the conversion is over, and for a graph of its own
  bool read_only = false;               // a stream pass is running
  std::string pass;                     // the name of the one that is running
  std::string fault;                    // the last call of it that was refused, in words
  int64_t replaced = 0;                 // matches that it replaced
  // What inputs that nothing is connected to are described as: in the public API a description belongs to the port, here
  // to the value that comes in. By graph, name of the node and port; for the time that one pass runs.
  std::map<std::tuple<const atc::Graph*, std::string, int32_t>, atc::TensorDesc> open_inputs;
  std::unique_ptr<atc::Graph> own;      // root, of a graph of its own
  std::vector<std::unique_ptr<atc::Graph>> loose;  // given by AddSubGraph, of no node yet
};

class GraphImpl {
 public:
  explicit GraphImpl(std::shared_ptr<Session> whose) : session(std::move(whose)) {}
  GraphImpl(std::shared_ptr<NodeImpl> node, size_t subgraph);
  GraphImpl(std::shared_ptr<Session> whose, const atc::Graph* of_no_node)
      : session(std::move(whose)), loose(of_no_node) {}

  // Null when it is gone.
  atc::Graph* Get() const;
  // Null when it is gone or may not be changed now.
  atc::Graph* Editable() const { return session->read_only ? nullptr : Get(); }

  const std::shared_ptr<Session> session;
  const std::shared_ptr<NodeImpl> owner;  // null: the root graph
  const size_t index = 0;                 // into Node::subgraphs of the owner
  const atc::Graph* const loose = nullptr;  // one of Session::loose
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
  // A graph of its own.
  static Graph Own(std::unique_ptr<atc::Graph> graph) {
    Graph handle;
    handle.impl_ = OwnImpl(std::move(graph));
    return handle;
  }
  static std::shared_ptr<GraphImpl> OwnImpl(std::unique_ptr<atc::Graph> graph) {
    const auto session = std::make_shared<Session>();
    session->root = graph.get();
    session->own = std::move(graph);
    return std::make_shared<GraphImpl>(session);
  }
  // The node that is described, with all its ports and none of its links, made by `maker`; null, with the reason, where
  // there can be none.
  static atc::Node* AddNode(atc::Graph& graph, const OperatorDescription& wanted, const std::string& maker,
                            std::string* fault);
  // Gives the node a nested graph in the place of the one that has this name, if any.
  static void Attach(atc::Graph& graph, atc::Node& node, const std::string& name, std::unique_ptr<atc::Graph> nested);
  static const std::shared_ptr<NodeImpl>& Impl(const GNode& node) { return node.impl_; }
  static const std::shared_ptr<GraphImpl>& Impl(const Graph& graph) { return graph.impl_; }
  static atc::Node* Get(const GNode& node) { return node.impl_ ? node.impl_->Get() : nullptr; }
  // The node if it is one of `graph` itself.
  static atc::Node* Get(const GNode& node, const atc::Graph& graph) {
    return node.impl_ && node.impl_->graph->Get() == &graph ? node.impl_->Get() : nullptr;
  }
  static void Bind(CustomPassContext& context, std::shared_ptr<Session> session, const std::string& pass);
  static void Bind(StreamPassContext& context, const atc::Graph& graph);
  static const std::shared_ptr<Session>& SessionOf(const CustomPassContext& context);
  // Nodes for which SetStreamId had no effect.
  static int64_t WithoutTask(const StreamPassContext& context);
};

}  // namespace ge
