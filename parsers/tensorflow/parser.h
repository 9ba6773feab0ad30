// TensorFlow model -> Graph.
#pragma once

#include <memory>
#include <string>

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"

namespace atc {

// Reads the model at `path` (not options.model_path): a frozen GraphDef, binary or text, or the
// folder of a SavedModel, whose variables become constants. Of the options, input_shapes,
// input_format and out_nodes are used; nodes are named as TensorFlow names them, with or without ":<output>".
// Without out_nodes the outputs are those of the signature, or the leaves of a frozen graph. The signature
// is the one that OPENATC_TF_SIGNATURE names, else serving_default, else the only one. Errors: E13005 (no such model, with what it is instead),
// E13010 (operators without converter, all of them), E12009 (an input that no node gives), E10016, E10003 (names), E13014.
// Warnings go to `diagnostics`, which may be null.
std::unique_ptr<Graph> ParseTensorFlow(const std::string& path, const CompileOptions& options,
                                       Diagnostics* diagnostics);
// The same for a GraphDef in memory; `path` is what messages call it.
std::unique_ptr<Graph> ParseTensorFlowBytes(std::string path, std::string bytes, const CompileOptions& options,
                                            Diagnostics* diagnostics);

}  // namespace atc
