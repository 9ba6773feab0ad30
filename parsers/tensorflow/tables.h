// Lookup tables: what their initializers put into them.
#pragma once

#include <string>

#include "parsers/tensorflow/graph_builder.h"

namespace atc::tf_parser {

// Reads what the initializers of the model (in its graph and in the functions that it calls) put into its tables, by
// resource name, keys sorted. Assets are files beside the model: `assets` gives those of a SavedModel, by the node that
// holds the name; other names are looked for in `folder` and its folder assets. Errors: E13014 a file or key that is
// wrong, naming the table.
std::map<std::string, TableContents> ReadTables(const ModelState& model, const SourceGraph& graph,
                                                const std::map<std::string, std::string>& assets,
                                                const std::string& folder);

}  // namespace atc::tf_parser
