// What training leaves in a graph for inference.
#pragma once

#include "parsers/tensorflow/graph_builder.h"
#include "parsers/tensorflow/source_graph.h"

namespace atc::tf_parser {

// Dropout, written out in small operators around a random number for each element, becomes its input; counted in
// `model.removed`.
void RemoveDropout(SourceGraph& graph, ModelState& model);

// Whether nodes of this type only watch or report what others compute.
bool IsWatcher(std::string_view op);

}  // namespace atc::tf_parser
