#include "plugins/pyasc/core/graph_view.h"

#include <pybind11/stl.h>

#include "compiler/dump/forms.h"
#include "compiler/io/byte_sink.h"
#include "plugins/pyasc/core/attributes.h"

namespace py = pybind11;

namespace atc::python {
namespace {

py::object Dims(const Shape& shape) { return shape.HasRank() ? py::cast(shape.dims()) : py::none(); }

py::dict OutputOf(const Value& value) {
  py::dict output;
  output["dtype"] = static_cast<int>(value.desc.dtype);
  output["shape"] = Dims(value.desc.shape);
  output["format"] = std::string(FormatName(value.desc.format));
  output["origin_shape"] = Dims(value.desc.origin_shape);
  output["origin_format"] = std::string(FormatName(value.desc.origin_format));
  output["offset"] = value.offset;
  output["size"] = value.size;
  return output;
}

py::dict NodeOf(const Graph& graph, const Node& node) {
  py::list inputs, outputs, reasons, controls;
  for (const ValueId input : node.inputs) {
    if (input == kNoId) {
      inputs.append(py::none());
    } else {
      inputs.append(py::make_tuple(graph.producer(input).name, graph.value(input).index));
    }
  }
  for (const ValueId output : node.outputs) outputs.append(OutputOf(graph.value(output)));
  for (const Reason& reason : node.reasons) reasons.append(py::make_tuple(reason.aspect.str(), reason.rule));
  for (const NodeId id : node.control_in) controls.append(graph.node(id).name);
  py::dict attributes, nested;
  for (const auto& [name, value] : node.attrs) attributes[py::str(name.str())] = FromAttribute(value);
  for (const Subgraph& subgraph : node.subgraphs) nested[py::str(subgraph.name.str())] = NodesOf(*subgraph.graph);

  py::dict dict;
  dict["name"] = node.name;
  dict["type"] = node.type().str();
  dict["inputs"] = inputs;
  dict["outputs"] = outputs;
  dict["attributes"] = attributes;
  dict["stream"] = node.stream;
  dict["engine"] = node.engine;
  dict["reasons"] = reasons;
  dict["origins"] = py::cast(graph.origins().Flatten(node.origin));
  dict["controls"] = controls;
  dict["nested"] = nested;
  dict["fused"] = node.fused ? py::object(NodesOf(*node.fused)) : py::none();
  return dict;
}

struct Form {
  const char* name;
  void (*write)(const GraphList& graphs, int detail, ByteSink& out);
};
constexpr Form kForms[] = {{"onnx", WriteOnnxText}, {"ge_proto", WriteProtoText}, {"readable", WriteReadableText}};
constexpr int kWithoutValues = 2;  // detail of a dump

}  // namespace

py::list NodesOf(const Graph& graph) {
  py::list nodes;
  for (const NodeId id : graph.TopologicalOrder()) nodes.append(NodeOf(graph, graph.node(id)));
  return nodes;
}

py::list EntriesOf(const Journal& journal) {
  py::list entries;
  for (const Journal::Entry& entry : journal.entries()) {
    py::dict dict;
    dict["stage"] = entry.stage;
    dict["pass"] = entry.pass;
    dict["pattern"] = entry.pattern;
    dict["number"] = entry.number;
    dict["before"] = py::cast(entry.before);
    dict["after"] = py::cast(entry.after);
    entries.append(dict);
  }
  return entries;
}

std::string TextOf(const Graph& graph, const std::string& form) {
  for (const Form& entry : kForms) {
    if (form != entry.name) continue;
    StringSink text;
    entry.write(GraphList(graph), kWithoutValues, text);
    return std::move(text.text);
  }
  throw py::value_error("the form of a dump is onnx, ge_proto or readable, not '" + form + "'");
}

}  // namespace atc::python
