#include "compiler/streams/logical_streams.h"

#include <algorithm>

#include "compiler/ir/error.h"
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
    MiniDagStream,
    UserPasses,
    RefreshContinuousStreams,
    AssignAttachedStream,
};

template <size_t N>
void RunAll(const StreamPass (&passes)[N], StreamContext& context) {
  for (const StreamPass pass : passes) pass(context);
}

}  // namespace

ParallelMode ParallelModeOf(const Graph& graph, const StreamOptions& options) {
  const auto* text = graph.attrs.FindAs<std::string>(kParallelModeAttr);
  if (text == nullptr) return options.parallel_mode;
  const auto mode = ParseParallelMode(*text);
  if (!mode) {
    throw Error("E10001", {{"value", *text},
                           {"parameter", kParallelModeAttr},
                           {"reason", "It takes cv, LoadBalance:N, MainStream:N, WeightedLoadBalance:N or default, with "
                                      "N from 1 to 64."}});
  }
  return *mode;
}

bool StreamContext::IsPinned(const Node& node) const {
  return !StreamLabelOf(node).empty() || node.attrs.Has(kParallelGroup) || node.attrs.Has(kNewStreamId);
}

int32_t AssignLogicalStreams(Graph& graph, const StreamOptions& options) {
  const ParallelMode mode = ParallelModeOf(graph, options);
  if (options.single_stream && !options.unknown_shapes && mode.kind != ParallelMode::kOff) {
    throw Error("E10056", {{"parameter1", "--enable_single_stream"}, {"parameter2", "--multi_stream_parallel_mode"}},
                "Leave one of them out.");
  }
  const std::vector<NodeId> order = graph.TopologicalOrder();
  for (const NodeId id : order) graph.node(id).stream = -1;
  StreamContext context{graph,
                        options,
                        *options.engines,
                        order,
                        MakeClusters(graph, order, *options.engines),
                        TaskNeighbours(graph, order, [&](const Node& node) { return EmitsTask(graph, node); }),
                        mode};
  if (options.single_stream || options.unknown_shapes) {
    RunAll(kSingleStream, context);
  } else {
    RunAll(kMultiStream, context);
  }
  return std::max(context.next_stream, 1);
}

}  // namespace atc
