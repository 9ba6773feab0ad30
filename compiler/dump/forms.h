// The three forms of a dump; `detail` is DUMP_GE_GRAPH: 1 everything, 2 without values of constants, 3 without
// attributes too.
#pragma once

#include "compiler/io/byte_sink.h"
#include "compiler/om/graph_list.h"

namespace atc {

class NodeTemplates;

// An ONNX model as text, for viewers: operators are "ge:<Type>", everything that a node knows is an attribute, nested
// graphs are attributes of extra nodes. Strings are attributes at detail 1 only.
void WriteOnnxText(const GraphList& graphs, int detail, ByteSink& out);

// A ModelDef as text, which --mode=5 reads.
void WriteProtoText(const GraphList& graphs, int detail, ByteSink& out);

// The same text, faster where `templates` knows the nodes from the dump before; of one form and one detail alone. Null: each
// node is printed for itself.
void WriteOnnxText(const GraphList& graphs, int detail, ByteSink& out, NodeTemplates* templates);
void WriteProtoText(const GraphList& graphs, int detail, ByteSink& out, NodeTemplates* templates);

// One line a node, for people.
void WriteReadableText(const GraphList& graphs, int detail, ByteSink& out);

}  // namespace atc
