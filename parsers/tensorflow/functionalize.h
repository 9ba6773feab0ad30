// The old form of control flow (Enter, Exit, Switch, Merge, ... as ordinary nodes) made into While and If nodes that own
// the graphs which they run.
#pragma once

#include <functional>
#include <optional>

#include "parsers/tensorflow/source_graph.h"

namespace atc::tf_parser {

// Rewrites what the results of `graph` depend on. Errors: E13014 naming the node that is not of the known forms.
void Functionalize(SourceGraph& graph);

// The two parts of it; loops come first, and their bodies are rewritten too.
void FunctionalizeLoops(SourceGraph& graph);
void FunctionalizeConditions(SourceGraph& graph);

// Copies a part of a graph into one of its own.
class Extraction {
 public:
  // `inside`: nodes that belong to the part. `fixed`: outputs that become the first arguments, by their numbers.
  // `translate` gives, for an output that comes from outside in another guise (a Switch), what it stands for.
  Extraction(const SourceGraph& graph, std::function<bool(uint32_t)> inside, std::map<Port, size_t> fixed,
             size_t num_fixed, std::function<std::optional<Port>(const Port&)> translate = {});

  // Takes all that `roots` need. What comes from outside is noted in `captured`, once for all parts.
  std::shared_ptr<SourceGraph> Take(const std::string& name, const std::vector<Port>& roots);
  // After all parts are taken: gives every part an argument for each fixed and captured output.
  void Finish();

  const std::vector<Port>& captured() const { return captured_; }

 private:
  struct Part {
    std::shared_ptr<SourceGraph> graph;
    std::vector<Port> roots;
    std::map<uint32_t, uint32_t> copies;  // node -> its copy
  };
  // The number of the argument that stands for the port; nothing when it is inside.
  std::optional<size_t> ArgumentOf(const Port& port);

  const SourceGraph& graph_;
  std::function<bool(uint32_t)> inside_;
  std::map<Port, size_t> fixed_;
  size_t num_fixed_;
  std::function<std::optional<Port>(const Port&)> translate_;
  std::vector<Port> captured_;
  std::map<Port, size_t> captured_numbers_;
  std::vector<Part> parts_;
};

// Uses of outputs become uses of others, throughout the graph.
void ReplacePorts(SourceGraph& graph, const std::map<Port, Port>& replacements);

}  // namespace atc::tf_parser
