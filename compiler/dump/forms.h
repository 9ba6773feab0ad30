// The three forms of a dump; `detail` is DUMP_GE_GRAPH: 1 everything, 2 without values of constants, 3 without
// attributes too.
#pragma once

#include "compiler/dump/node_writer.h"
#include "compiler/dump/stage_snapshot.h"
#include "compiler/io/byte_sink.h"
#include "compiler/om/graph_list.h"

namespace atc {

// An ONNX model as text, for viewers: operators are "ge:<Type>", everything that a node knows is an attribute, nested
// graphs are attributes of extra nodes. Strings are attributes at detail 1 only. `texts` are those of the snapshots before,
// of one SnapshotTaker: each of its snapshots must be written, in order.
void WriteOnnxText(const StageSnapshot& snapshot, NodeTexts* texts, ByteSink& out);

// A ModelDef as text, which --mode=5 reads.
void WriteProtoText(const StageSnapshot& snapshot, NodeTexts* texts, ByteSink& out);

// One line a node, for people.
void WriteReadableText(const GraphList& graphs, int detail, ByteSink& out);

// The first two of a graph that stays as it is.
void WriteOnnxText(const GraphList& graphs, int detail, ByteSink& out);
void WriteProtoText(const GraphList& graphs, int detail, ByteSink& out);

}  // namespace atc
