// Numbers of events that are used again where a model has very many.
#pragma once

#include <cstdint>

#include "compiler/ir/graph.h"

namespace atc {

// A device has 65536 events; GE leaves some of them alone.
inline constexpr int32_t kEventReuseThreshold = 65500;
// On the graph: numbers may be used again.
inline constexpr const char* kEventMultiplexing = "_event_multiplexing";

// Where the graph has kEventMultiplexing and more than `threshold` events, gives them fewer numbers: one serves
// the same two streams again once the sender has waited for something that the receiver did after its wait, which resets
// the event. Nested graphs have numbers
// of their own, after those of the graph that holds them. The n-th further use of a number is <graph>_Send_<number>_Reuse_<n>.
// The graph is in launch order, as InsertEvents leaves it. Returns how many numbers there are, `events` where nothing is done.
int32_t ReuseEvents(Graph& graph, int32_t events, int32_t threshold = kEventReuseThreshold);

}  // namespace atc
