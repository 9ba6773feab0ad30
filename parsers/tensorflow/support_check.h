// What a model asks for that there is no converter for.
#pragma once

#include <map>
#include <set>
#include <string>

#include "parsers/tensorflow/graph_builder.h"

namespace atc::tf_parser {

// Walks all that the results depend on, with functions and nested graphs, and throws one error (E13010) that lists every
// operator without converter.
class SupportCheck {
 public:
  explicit SupportCheck(const ModelState& model) : model_(model) {}

  void Check(const SourceGraph& graph);
  void ThrowIfAny() const;

 private:
  void Function(const std::string& name);
  void Attr(const proto::AttrValue& attr);

  struct Seen {
    int count = 0;
    std::string first_node;
  };
  const ModelState& model_;
  std::set<std::string> functions_;
  std::map<std::string, Seen> unsupported_;
};

}  // namespace atc::tf_parser
