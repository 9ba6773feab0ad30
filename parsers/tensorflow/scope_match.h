// Looking at a SourceGraph for the patterns of scope fusion, and putting one node in the place of many.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "parsers/tensorflow/graph_builder.h"
#include "parsers/tensorflow/source_graph.h"

namespace atc::tf_parser {

class ScopeMatch {
 public:
  ScopeMatch(SourceGraph& graph, const ModelState& model) : graph_(graph), model_(model) {}

  SourceGraph& graph() { return graph_; }

  // The port itself, through nodes that pass their input on.
  Port Through(Port port) const;
  // The node that gives output 0 there, if it is of one of these types and has at least `inputs` inputs; else nullptr.
  const SourceNode* Is(Port port, std::initializer_list<std::string_view> ops, size_t inputs = 1) const;
  const SourceNode& At(Port port) const { return graph_.nodes[port.node]; }
  Port In(const SourceNode& node, size_t i) const { return Through(node.inputs[i]); }
  // Both operands of a node whose operands may be swapped, the one for which `is` holds first.
  template <typename F>
  std::optional<std::pair<Port, Port>> Operands(const SourceNode& node, F is) const {
    const Port a = In(node, 0), b = In(node, 1);
    if (is(a)) return std::pair{a, b};
    if (is(b)) return std::pair{b, a};
    return std::nullopt;
  }
  // Constants.
  std::optional<double> Scalar(Port port) const;
  std::optional<std::vector<int64_t>> Ints(Port port) const;
  Tensor Constant(Port port) const;
  // "a/b/c" is in the scope "a/b".
  static std::string_view Scope(std::string_view name) { return name.substr(0, name.rfind('/')); }

  // An attribute list for a node that is made.
  static std::shared_ptr<proto::NodeDef> Def(const std::string& op);
  // A node in the place of `old`, whose name it takes: all that took output 0 of `old` takes its output 0.
  uint32_t Replace(uint32_t old, std::shared_ptr<proto::NodeDef> def, std::vector<Port> inputs);
  // All that took `from` takes `to`.
  void Redirect(Port from, Port to);

 private:
  SourceGraph& graph_;
  const ModelState& model_;
};

}  // namespace atc::tf_parser
