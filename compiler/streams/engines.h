// Engines and their properties.
#pragma once

#include <string_view>

#include "compiler/ir/graph.h"

namespace atc {

struct Engine {
  std::string_view name;
  bool independent;  // never shares a stream with another engine
  bool skip;         // needs no stream of its own
  bool attach;       // may ride on the stream of what it depends on
  int cost;          // smaller wins where several could run a node
};

// The engine called `name`; an assertion if there is none.
const Engine& FindEngine(std::string_view name);

// Sets Node::engine from the unit of each definition, with a Reason "engine".
void PlaceOnEngines(Graph& graph);

// Whether the node becomes a task of a stream: not sources, NetOutput, NoOp, or what aliases its input.
bool EmitsTask(const Graph& graph, const Node& node);

}  // namespace atc
