// Engines and their properties, from engines.json (see engines.md).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

struct Engine {
  std::string name;
  bool independent = false;  // never shares a stream with another engine
  bool skip = false;         // needs no stream of its own
  bool attach = false;       // may ride on the stream of what it depends on
  int cost = 0;              // smaller wins where several could be followed
};

class EngineTable {
 public:
  // The table that is compiled in.
  static const EngineTable& Default();
  // `source` stands for the file in messages. Throws Error E10001 (parameter OPENATC_ENGINES) for what is no such table.
  static EngineTable Parse(std::string_view json, const std::string& source);
  // The table that OPENATC_ENGINES names, else the default. Throws as Parse does, also where the file cannot be read.
  static EngineTable OfProcess();

  // The engine called `name`; nullptr if there is none.
  const Engine* Find(std::string_view name) const;
  // The same for the engine of a placed node; an Error (E19999) if there is none.
  const Engine& Of(const Node& node) const;
  // The name of the engine on which operators of this definition are placed.
  std::string EngineOf(const OpDef& def) const;

 private:
  friend void PlaceOnEngines(Graph& graph, const EngineTable& table, bool cube_and_vector);

  std::vector<Engine> engines_;  // sorted by name
  std::map<std::string, std::string, std::less<>> units_, cv_units_, operators_;
};

// Sets Node::engine of nodes that have none, by the operator's type or the unit of its definition, with a Reason
// "engine". `cube_and_vector`: the vector unit counts as an engine of its own (cv).
void PlaceOnEngines(Graph& graph, const EngineTable& table = EngineTable::Default(), bool cube_and_vector = false);

// Whether the node becomes a task of a stream: not sources, NetOutput, NoOp, or what aliases its input or its parts.
bool EmitsTask(const Graph& graph, const Node& node);

}  // namespace atc
