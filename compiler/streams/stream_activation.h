// Streams that stand still until a StreamActive starts them.
#pragma once

#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

inline constexpr const char* kActiveStreams = "active_stream_list";
inline constexpr const char* kActiveLabels = "active_label_list";
// On the graph: the streams that nothing activates, which begin with the model.
inline constexpr const char* kHeadStreams = "_head_streams";

// Turns the labels that StreamActive nodes name into streams, drops streams that do not exist, that began before, and its own, and makes the
// first task of each stream follow its StreamActive by a control edge. A stream that several name is started by the first
// in launch order. Writes kHeadStreams where there is a StreamActive.
void ActivateStreams(Graph& graph);

// By stream: the StreamActive node that starts it; kNoId: it begins with the model.
std::vector<NodeId> ActivatorOfStreams(const Graph& graph, size_t streams);

}  // namespace atc
