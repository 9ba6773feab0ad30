// Events between streams, as Send and Recv nodes.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

// Which waits between streams become events.
enum class EventRule {
  kReduced,  // those that neither stream order nor other events imply: the least number there is
  kGe,  // GE's own set: of several receivers of one node on one stream the earliest, of several senders to one node
        // from one stream the latest
};

struct EventCounts {
  int32_t edges = 0;   // data and control edges between streams: what the plain rule would insert
  int32_t ge = 0;      // what GE's rule would insert
  int32_t events = 0;  // inserted
};

// Inserts a Send and a Recv for each wait that the rule keeps, then renumbers the graph in launch order, each Send right
// after its producer and each Recv right before its consumer. Nested graphs have events of their own, numbered on, those of
// gears from the same number: what begins there waits for nobody outside, as the node that owns the graph starts and
// ends it. A stream that a StreamActive starts needs no event for what came up to that (see stream_activation.h).
// Attached streams wait and are waited for with their nodes, and join the stream of the outputs at the end (see
// attached_streams.h).
EventCounts InsertEvents(Graph& graph, EventRule rule = EventRule::kReduced);

}  // namespace atc
