// A graph as Python reads it: plain dicts and lists, independent of the graph's life.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc::python {

// One dict a node, in topological order: name, type, inputs [(node, output) or None], outputs [{dtype, shape, format,
// origin_shape, origin_format, offset, size}], attributes, stream, engine, reasons [(aspect, rule)], origins [names in
// the source], controls [names], nested {name: [nodes]}, fused [nodes] or None.
pybind11::list NodesOf(const Graph& graph);

// One dict an entry: stage, pass, pattern, number, before, after.
pybind11::list EntriesOf(const Journal& journal);

// The graph in one of the forms of a dump: "onnx", "ge_proto", "readable". Raises ValueError for another.
std::string TextOf(const Graph& graph, const std::string& form);

}  // namespace atc::python
