// Nodes that the compiler puts on the edge between two others: Cast, TransData.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

// Which end of the edge such a node serves, so that it has that one's origin and stream labels: the consumer, unless
// that is the interface or has no origin itself.
inline const Node& ServedOnEdge(const Node& producer, const Node& consumer) {
  return consumer.origin == kNoOrigin || consumer.type() == "NetOutput" ? producer : consumer;
}

}  // namespace atc
