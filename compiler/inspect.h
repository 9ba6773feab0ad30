// What programs may ask of models without compiling or running them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/io/byte_sink.h"
#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/om/json.h"     // IWYU pragma: export
#include "compiler/om/summary.h"  // IWYU pragma: export

namespace atc {

// The version of this program, "0.1.0".
std::string_view ProgramVersion();

// The libraries that it was built with, by name: {"protobuf", "3.21.12"}.
std::vector<std::pair<std::string, std::string>> LibraryVersions();

// The chips that --soc_version takes.
std::vector<std::string_view> SocNames();

// Infers the shapes of a parsed graph, folding what is constant, and writes it as a ModelDef in JSON. Stages are dumped
// as in a conversion, under GE's names for this mode.
void WriteInferredJson(Graph& graph, Diagnostics* diagnostics, ByteSink& out);

}  // namespace atc
