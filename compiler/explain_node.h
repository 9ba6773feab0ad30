// From a source node to the tasks that do its work, and back.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/journal.h"
#include "compiler/om/om_model.h"

namespace atc {

struct ExplainedNode {
  std::string name, type, graph;     // graph: of a nested node, its owner's; else empty
  std::vector<std::string> sources;  // source nodes whose work it does
  std::vector<std::string> members;  // "name (Type)" of what a fused node stands for
  std::vector<std::string> outputs;  // "DT_FLOAT16 NC1HWC0 [1, 1, 8, 8, 16]"
  std::vector<std::string> reasons;  // "dtype: force_fp16"
  std::string engine;
  int64_t task = -1;  // its number in launch order; -1: it needs none
  int64_t stream = -1;
};

struct NodeExplanation {
  std::string name;                      // as asked for
  std::vector<std::string> names;        // of the nodes that are meant: in nested graphs they have the graph's in front
  std::vector<std::string> sources;      // source nodes that the name stands for
  std::vector<Journal::Entry> rewrites;  // in which those, or what became of them, took part
  std::vector<ExplainedNode> nodes;      // of the compiled graph
  bool has_rewrites = true;              // false: an om does not record them

  std::string Text() const;
  std::string Json() const;
};

// A graph as parsed.
struct ParsedNodes {
  std::map<std::string, std::vector<std::string>> sources;  // by node: the source nodes that it is of
  std::set<std::string> graphs;                             // names of the nested ones

  bool empty() const { return sources.empty(); }
};
ParsedNodes FindParsedNodes(const Graph& graph);

// `name`: of a source node, of a node of the compiled graph, of one that a pass made or removed, or "#12", a task by
// its number. A source node of a nested graph may be named as there: then all of that name are meant. `journal` is null
// for an om that was read from its file, `parsed` empty. Throws Error E10016 where there is none, with the names that
// were meant.
NodeExplanation ExplainNode(const std::string& name, const OmModel& model, const Journal* journal,
                            const ParsedNodes& parsed = {});
// The same of an om; also throws as ReadOm does.
NodeExplanation ExplainNode(const std::string& name, const std::string& om_path);

}  // namespace atc
