#include "compiler/inspect.h"

#include "compiler/dump/dumper.h"
#include "compiler/ir/journal.h"
#include "compiler/om/graph_json.h"
#include "compiler/passes/infer_shapes.h"

namespace atc {

void WriteInferredJson(Graph& graph, Diagnostics* diagnostics, ByteSink& out) {
  Journal journal;
  PassContext context{journal, *diagnostics};
  Dumper dumper(DumpEnvironment::OfProcess(), diagnostics);
  dumper.Dump("after_parser", graph);
  InferShapesAndFold(graph, context);
  dumper.Dump("AfterInfershape", graph);
  WriteGraphJson(graph, out);
}

}  // namespace atc
