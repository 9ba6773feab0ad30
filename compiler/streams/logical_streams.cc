#include "compiler/streams/logical_streams.h"

#include <algorithm>

#include "compiler/ir/stream_label.h"
#include "compiler/streams/stream_passes.h"

namespace atc {
namespace {

using StreamPass = void (*)(StreamContext&);

constexpr StreamPass kSingleStream[] = {SingleStream, NodeStreamUpdate, UpdateForSkippedEngine};

constexpr StreamPass kMultiStream[] = {
    UpdateForMdeGroup,
    AssignByLabel,
    IndependentStream,
    AssignByDependency,
    NodeStreamUpdate,
    UpdateForParallelGroup,
    AllReduceParallel,
    UpdateForSkippedEngine,
    OptimizeIneffectiveMultiStream,
    RefreshContinuousStreams,
    AssignAttachedStream,
};

template <size_t N>
void RunAll(const StreamPass (&passes)[N], StreamContext& context) {
  for (const StreamPass pass : passes) pass(context);
}

}  // namespace

bool StreamContext::IsPinned(const Node& node) const {
  return !StreamLabelOf(node).empty() || node.attrs.Has(kParallelGroup) || node.attrs.Has(kNewStreamId);
}

int32_t AssignLogicalStreams(Graph& graph, const StreamOptions& options) {
  const std::vector<NodeId> order = graph.TopologicalOrder();
  for (const NodeId id : order) graph.node(id).stream = -1;
  StreamContext context{graph,
                        options,
                        *options.engines,
                        order,
                        MakeClusters(graph, order, *options.engines),
                        TaskNeighbours(graph, order, [&](const Node& node) { return EmitsTask(graph, node); })};
  if (options.single_stream) {
    RunAll(kSingleStream, context);
  } else {
    RunAll(kMultiStream, context);
  }
  return std::max(context.next_stream, 1);
}

}  // namespace atc
