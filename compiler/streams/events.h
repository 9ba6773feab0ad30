// Events between streams, as Send and Recv nodes.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

struct EventCounts {
  int32_t edges = 0;   // data and control edges between streams: what the plain rule would insert
  int32_t events = 0;  // inserted, after transitive reduction over happens-before
};

// Inserts a Send and a Recv for every wait between streams that stream order and other events do not imply, then
// renumbers the graph in launch order, each Send right after its producer and each Recv right before its consumer.
EventCounts InsertEvents(Graph& graph);

}  // namespace atc
