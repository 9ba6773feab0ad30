// ONNX file -> Graph.
#pragma once

#include <memory>
#include <string>

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"

namespace atc {

// Reads the model at `path` (not options.model_path). Of the options, input_shapes, input_format and out_nodes are used.
//
// The graph: Data nodes named and ordered as the model's inputs, Const nodes named as the initializers, for every ONNX
// node one or more nodes of which the one that gives its output 0 bears its name, and NetOutput "Node_Output" with the
// string lists "output_names" and "_origin_output_tensor_name". Shapes are known for Data and Const alone; inference
// follows. Constants are windows of the mapped file wherever their form allows.
//
// Errors carry the file as context: E10001, E13005, E13015 (file), E10016, E10017, E10049, E10050 (input_shapes), E10003,
// E10016 (out_nodes), E16001, E16002 (all unsupported operators at once), E16004, E16005, E13014, E14001 (model).
std::unique_ptr<Graph> ParseOnnx(const std::string& path, const CompileOptions& options, Diagnostics* diagnostics);

// The same for a model in memory; `path` stands for it in messages, and its folder is where external data are.
std::unique_ptr<Graph> ParseOnnxBytes(std::string path, std::string bytes, const CompileOptions& options,
                                      Diagnostics* diagnostics);

}  // namespace atc
