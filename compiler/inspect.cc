#include "compiler/inspect.h"

#include "compiler/ir/journal.h"
#include "compiler/om/graph_json.h"
#include "compiler/passes/infer_shapes.h"

namespace atc {

void WriteInferredJson(Graph& graph, Diagnostics* diagnostics, ByteSink& out) {
  Journal journal;
  PassContext context{journal, *diagnostics};
  InferShapesAndFold(graph, context);
  WriteGraphJson(graph, out);
}

}  // namespace atc
