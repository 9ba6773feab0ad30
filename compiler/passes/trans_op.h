// Cast and TransData: nodes that change how a value is held, and not what it is.
#pragma once

#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Whether it is one that may move or go: it has no order of its own (control edges), stands for no other nodes, and the
// user gives it no type.
bool IsFreeCast(const Node& node);
bool IsFreeTransData(const Node& node);
// All of these, by id: those that the compiler inserts are in the order of the graph so.
std::vector<NodeId> FreeCasts(const Graph& graph);
std::vector<NodeId> FreeTransOps(const Graph& graph);
// A model's output must stay its own value: whether `result` goes to NetOutput and `source` is an input or a constant.
bool JoinsInterface(const Graph& graph, ValueId source, ValueId result);
// Whether each value of `from` is one of `to`, so that a Cast there and back changes nothing.
bool WidensExactly(DataType from, DataType to);
// Removes `node` where nothing reads it any more.
void RemoveUnread(Graph& graph, NodeId node);

}  // namespace atc
