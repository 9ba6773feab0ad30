// Which operators a model uses, how often, and which of them there is no converter for.
#pragma once

#include <map>
#include <set>
#include <string>

#include "parsers/tensorflow/graph_builder.h"

namespace atc::tf_parser {

// Walks all that the results depend on, with functions and nested graphs; a function counts once, however often it is
// called.
class SupportCheck {
 public:
  struct Use {
    int count = 0;
    std::string first_node;
    bool supported = true;
  };

  explicit SupportCheck(const ModelState& model) : model_(model) {}

  void Check(const SourceGraph& graph) { CheckGraph(graph, &failed_nodes_); }

  // By type of operator.
  const std::map<std::string, Use>& uses() const { return uses_; }
  // Nodes outside of functions that cannot be converted, or call a function that cannot.
  const std::set<std::string>& failed_nodes() const { return failed_nodes_; }
  // One error (E13010) that lists every operator without converter.
  void ThrowIfAny() const;

 private:
  // Whether all of it is supported; names of nodes where it is not go to `failed`, which may be null.
  bool CheckGraph(const SourceGraph& graph, std::set<std::string>* failed);
  bool CheckNode(const SourceNode& node);
  bool Function(const std::string& name);
  bool Attr(const proto::AttrValue& attr);

  const ModelState& model_;
  std::map<std::string, bool> functions_;  // by name: supported
  std::map<std::string, Use> uses_;
  std::set<std::string> failed_nodes_;
};

}  // namespace atc::tf_parser
