#include "compiler/streams/logical_streams.h"

#include <algorithm>
#include <span>

#include "compiler/ir/error.h"
#include "compiler/ir/stream_label.h"
#include "compiler/streams/static_parts.h"
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
    UserPasses,  // on the root alone
};

// Of models of unknown shapes: one stream, unless user passes take more or ENABLE_DYNAMIC_SHAPE_MULTI_STREAM asks for them.
constexpr StreamPass kDynamic[] = {SingleStream, NodeStreamUpdate, UpdateForSkippedEngine, UserPasses};
constexpr StreamPass kDynamicMultiStream[] = {DynamicStreams, MiniDagStream, UserPasses};

std::span<const StreamPass> PassesFor(const StreamOptions& options) {
  if (options.single_stream) return kSingleStream;
  if (!options.unknown_shapes) return kMultiStream;
  if (options.dynamic_multi_stream) return kDynamicMultiStream;
  return kDynamic;
}

// The graph, then those that its nodes own. `owner`: the stream of the node that owns it, -1 for the root.
StreamContext AssignGraph(Graph& graph, const StreamOptions& options, const ParallelMode& mode, SharedStreams& shared,
                          int32_t owner) {
  const std::vector<NodeId> order = graph.TopologicalOrder();
  for (const NodeId id : order) graph.node(id).stream = -1;
  StreamContext context{graph,
                        options,
                        *options.engines,
                        order,
                        MakeClusters(graph, order, *options.engines),
                        TaskNeighbours(graph, order, [&](const Node& node) { return EmitsTask(graph, node); }),
                        mode,
                        shared,
                        shared.next,
                        owner,
                        owner >= 0};
  for (const StreamPass pass : PassesFor(options)) {
    if (pass != UserPasses || !context.nested) pass(context);
  }
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (node.type() == kPartCall) continue;  // a model of its own
    for (const Subgraph& subgraph : node.subgraphs) {
      AssignGraph(*subgraph.graph, options, mode, shared, std::max(node.stream, 0));
    }
  }
  return context;
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

void CheckStreamCount(int32_t streams, const StreamOptions& options) {
  if (options.max_streams <= 0 || streams <= options.max_streams) return;
  throw Error("E10055", {{"reason", "the model takes " + std::to_string(streams) + " streams, the device has " +
                                        std::to_string(options.max_streams)}},
              "Use fewer stream labels, or --multi_stream_parallel_mode with a smaller number.");
}

int32_t AssignLogicalStreams(Graph& graph, const StreamOptions& options) {
  const ParallelMode mode = ParallelModeOf(graph, options);
  if (options.single_stream && !options.unknown_shapes && mode.kind != ParallelMode::kOff) {
    throw Error("E10056", {{"parameter1", "--enable_single_stream"}, {"parameter2", "--multi_stream_parallel_mode"}},
                "Leave one of them out.");
  }
  SharedStreams shared;
  const StreamContext context = AssignGraph(graph, options, mode, shared, -1);
  if (!options.single_stream) {
    StreamContext last{graph, options, *options.engines, context.order, {}, context.tasks, mode, shared, shared.next};
    RefreshContinuousStreams(last);
    AssignAttachedStream(last);
  }
  const int32_t streams = std::max(shared.next, 1);
  CheckStreamCount(streams, options);
  return streams;
}

}  // namespace atc
