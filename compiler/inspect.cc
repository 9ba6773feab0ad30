#include "compiler/inspect.h"

#include <algorithm>

#include "compiler/dump/dumper.h"
#include "compiler/ir/journal.h"
#include "compiler/om/graph_json.h"
#include "compiler/ops/inference.h"
#include "compiler/soc/soc.h"

namespace atc {

std::string_view ProgramVersion() { return OPENATC_VERSION; }

std::vector<std::pair<std::string, std::string>> LibraryVersions() {
  std::vector<std::pair<std::string, std::string>> versions;
  std::string_view rest = OPENATC_LIBRARY_VERSIONS;  // "fmt 9.1.0, protobuf 3.21.12"
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const size_t blank = std::min(item.find(' '), item.size());
    versions.emplace_back(item.substr(0, blank), item.substr(std::min(blank + 1, item.size())));
    rest.remove_prefix(std::min(item.size() + 2, rest.size()));
  }
  return versions;
}

std::vector<std::string_view> SocNames() {
  std::vector<std::string_view> names;
  for (const Soc& soc : AllSocs()) names.push_back(soc.name);
  return names;
}

void WriteInferredJson(Graph& graph, Diagnostics* diagnostics, ByteSink& out) {
  Journal journal;
  Dumper dumper(DumpEnvironment::OfProcess(), diagnostics);
  dumper.Dump("after_parser", graph);
  InferShapesAndFold(graph, journal);
  dumper.Dump("AfterInfershape", graph);
  WriteGraphJson(graph, out);
}

}  // namespace atc
