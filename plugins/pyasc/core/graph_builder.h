// A graph that Python builds node by node, or reads from a model file.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"

namespace atc::python {

// What Python sees of a value: dtype number, shape (None: unknown rank; -1: unknown dim), storage format, node, output.
struct ValueInfo {
  int dtype;
  std::optional<std::vector<int64_t>> shape;
  std::string format;
  std::string node;
  uint32_t index;
};

// What is asked of single nodes, by name.
struct NodeSettings {
  std::vector<std::pair<std::string, std::vector<std::string>>> disabled_passes;
  std::vector<std::pair<std::string, std::string>> formats;  // in which the device is to hold the outputs
};

class GraphBuilder {
 public:
  explicit GraphBuilder(const std::string& name) : graph_(std::make_unique<Graph>(name)) {}
  // The graph of an ONNX model, or of a frozen TensorFlow graph or SavedModel; its outputs are `outputs()`. Raises
  // Error.
  static std::unique_ptr<GraphBuilder> FromOnnx(const std::string& path, const CompileOptions& options);
  static std::unique_ptr<GraphBuilder> FromTensorFlow(const std::string& path, const CompileOptions& options);

  ValueId Input(const std::string& name, int dtype, const std::vector<int64_t>& shape);
  // `bytes`: the elements, row-major, as they lie in memory; copied. Raises ValueError where their number is off.
  ValueId Constant(pybind11::buffer bytes, int dtype, const std::vector<int64_t>& shape, const std::string& name);
  // A node of the AscendIR operator `type`; None stands for an absent optional input. Shapes and types are inferred at
  // once. Raises KeyError for an unknown type, TypeError or AttributeError for attributes, Error where shapes do not
  // fit; the graph is then as before.
  std::vector<ValueId> Add(const std::string& type, const std::vector<std::optional<ValueId>>& inputs,
                           const pybind11::dict& attributes, const std::string& name, size_t num_outputs,
                           const std::map<std::string, std::string>& kinds);

  ValueInfo Describe(ValueId value) const;
  std::vector<std::pair<std::string, ValueId>> Inputs() const;
  std::vector<std::pair<std::string, ValueId>> Outputs() const;
  size_t NumNodes() const { return graph_->num_nodes(); }

  // A copy with inputs of the given shapes, the given outputs and settings, ready to be compiled. Raises KeyError for a
  // name that no node has.
  std::unique_ptr<Graph> Finish(const std::vector<std::pair<std::string, std::vector<int64_t>>>& shapes,
                                const std::vector<std::pair<ValueId, std::string>>& outputs,
                                const NodeSettings& settings) const;

 private:
  // The graph of a parser, with shapes as far as they are known without folding.
  static std::unique_ptr<GraphBuilder> Parsed(std::unique_ptr<Graph> graph);
  void Check(ValueId value) const;

  std::unique_ptr<Graph> graph_;
};

}  // namespace atc::python
