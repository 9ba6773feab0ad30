#include "compiler/inspect.h"

#include "compiler/dump/dumper.h"
#include "compiler/ir/journal.h"
#include "compiler/om/graph_json.h"
#include "compiler/ops/inference.h"

namespace atc {

void WriteInferredJson(Graph& graph, Diagnostics* diagnostics, ByteSink& out) {
  Journal journal;
  Dumper dumper(DumpEnvironment::OfProcess(), diagnostics);
  dumper.Dump("after_parser", graph);
  InferShapesAndFold(graph, journal);
  dumper.Dump("AfterInfershape", graph);
  WriteGraphJson(graph, out);
}

}  // namespace atc
