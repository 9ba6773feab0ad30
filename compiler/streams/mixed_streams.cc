#include "compiler/streams/mixed_streams.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "compiler/streams/stream_passes.h"

namespace atc {
namespace {

// What the streams of a part are called in the whole model.
struct Numbers {
  int32_t first = 0;   // of stream 0
  int32_t others = 1;  // of stream 1, and on from there

  int32_t Of(int32_t stream) const { return stream < 0 ? -1 : stream == 0 ? first : others + stream - 1; }
};

// What the chain of passes has left on a node; `same` has the reasons that were there before it. `where` comes before
// the new ones.
void CopyPlacement(const Node& node, const Numbers& numbers, const std::string& where, Node* same) {
  same->stream = numbers.Of(node.stream);
  for (size_t i = same->reasons.size(); i < node.reasons.size(); ++i) {
    same->Because(node.reasons[i].aspect, where + node.reasons[i].rule);
  }
  const auto* attached = node.attrs.FindAs<std::vector<int64_t>>(kAttachedStreamIds);
  if (attached == nullptr) return;
  std::vector<int64_t> ids = *attached;
  for (int64_t& stream : ids) stream = numbers.Of(static_cast<int32_t>(stream));
  same->attrs.Set(kAttachedStreamIds, std::move(ids));
}

constexpr Numbers kAsTheyAre = {0, 1};

// Of the root: all nodes but the parts'.
void CopyRoot(const Graph& root, Graph& graph) {
  for (NodeId id = 0; id < root.node_capacity(); ++id) {
    const Node& node = root.node(id);
    if (!node.alive || node.type() == kPartCall) continue;
    Node& same = *graph.Find(node.name);
    CopyPlacement(node, kAsTheyAre, "", &same);
    for (size_t i = 0; i < node.subgraphs.size(); ++i) CopyRoot(*node.subgraphs[i].graph, *same.subgraphs[i].graph);
  }
}

void CopyPart(const Graph& part, const Numbers& numbers, Graph& graph) {
  for (NodeId id = 0; id < part.node_capacity(); ++id) {
    const Node& node = part.node(id);
    if (!node.alive || node.Is(kSource) || node.type() == "NetOutput") continue;  // its interface, repeated constants
    CopyPlacement(node, numbers, "part " + part.name + ": ", graph.Find(node.name));
  }
}

}  // namespace

int32_t AssignMixedStreams(Graph& graph, Graph& split, const StreamOptions& options) {
  int32_t streams = AssignLogicalStreams(split, options);
  for (NodeId id = 0; id < graph.node_capacity(); ++id) graph.node(id).stream = -1;
  CopyRoot(split, graph);
  StreamOptions of_part = options;
  of_part.unknown_shapes = false;
  of_part.parallel_mode = ParallelModeOf(graph, options);
  const int32_t others = streams;
  for (NodeId id = 0; id < split.node_capacity(); ++id) {
    const Node& call = split.node(id);
    if (!call.alive || call.type() != kPartCall) continue;
    Graph& part = *call.subgraphs[0].graph;
    const int32_t count = AssignLogicalStreams(part, of_part);
    streams = std::max(streams, others + count - 1);
    CopyPart(part, {call.stream, others}, graph);
  }
  CheckStreamCount(streams, options);
  return streams;
}

}  // namespace atc
