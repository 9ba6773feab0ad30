#include "compiler/stream_report.h"

#include <algorithm>
#include <map>

#include "compiler/ir/error.h"
#include "compiler/om/reader.h"
#include "compiler/plan/memory.h"
#include "compiler/soc/soc.h"
#include "compiler/streams/attached_streams.h"
#include "compiler/streams/logical_streams.h"
#include "compiler/streams/op_summary.h"
#include "compiler/streams/predict.h"

namespace atc {
namespace {

bool IsEvent(const Node& node) { return node.type() == "Send" || node.type() == "Recv"; }

std::string RuleOf(const Node& node) {
  for (auto reason = node.reasons.rbegin(); reason != node.reasons.rend(); ++reason) {
    if (reason->aspect == "stream") return reason->rule;
  }
  return "";
}

ReportedNode Reported(const Node& node, const TaskCost& cost) {
  return {node.name, node.type().str(), node.engine, RuleOf(node), cost.us, cost.measured};
}

// A copy without events.
std::unique_ptr<Graph> Bare(const Graph& graph) {
  std::unique_ptr<Graph> copy = graph.Clone();
  for (NodeId id = 0; id < copy->node_capacity(); ++id) {
    const Node& node = copy->node(id);
    if (node.alive && (IsEvent(node) || node.type() == "StreamActive")) copy->Remove(id);
  }
  return copy;
}

ParallelMode ModeFor(const ParallelMode& mode, int streams) {
  ParallelMode wanted = mode;
  if (mode.streams == 0) wanted.kind = ParallelMode::kLoadBalance;
  wanted.streams = streams;
  return wanted;
}

WhatIf Try(const Graph& bare, const ParallelMode& mode, const Soc& soc, const OpSummary& measured, bool unknown_shapes) {
  std::unique_ptr<Graph> graph = bare.Clone();
  graph->attrs.Erase(kParallelModeAttr);  // the graph's own mode would win
  StreamOptions options;
  options.parallel_mode = mode;
  options.cube_cores = soc.cube_cores;
  options.vector_cores = soc.vector_cores;
  WhatIf what;
  what.streams_wanted = mode.streams;
  what.mode = ParallelModeText(mode);
  what.streams = AssignLogicalStreams(*graph, options);
  if (!unknown_shapes) what.memory_bytes = PlanMemory(*graph, true).memory_size;
  what.events = InsertEvents(*graph).events;
  what.predicted_makespan_us = PredictRun(*graph, measured, soc.cube_cores, soc.vector_cores).makespan;
  return what;
}

}  // namespace

StreamReport MakeStreamReport(const OmModel& model, const ParallelMode& mode) {
  const Graph& graph = *model.graph;
  const OpSummary measured = OpSummaryOfProcess();
  StreamReport report;
  report.model = model.name;
  report.soc_version = model.attrs.Get<std::string>("soc_version", "");
  report.unknown_shapes = model.dynamic;
  report.inserted = model.event_num;
  report.splits = graph.attrs.Get<std::string>("_split_logic_stream_2_origin_logic_stream", "");
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (graph.node(id).stream < std::max<int64_t>(model.stream_num, 1)) continue;
    throw Error("E10041", {{"parameter", model.name},
                           {"reason", "'" + graph.node(id).name + "' is on stream " + std::to_string(graph.node(id).stream) +
                                          ", the model has " + std::to_string(model.stream_num)}},
                "Convert the model again.");
  }
  const Soc& soc = FindSoc(report.soc_version);
  const PredictedRun run = PredictRun(graph, measured, soc.cube_cores, soc.vector_cores);
  report.measured = run.measured;
  report.kernels = run.kernels;
  report.predicted_makespan_us = run.makespan;
  report.streams.resize(static_cast<size_t>(std::max<int64_t>(model.stream_num, 1)));
  for (size_t s = 0; s < report.streams.size(); ++s) report.streams[s].id = static_cast<int32_t>(s);
  std::map<int64_t, NodeId> sends;
  std::map<NodeId, const PredictedTask*> task_of;
  for (const PredictedTask& task : run.tasks) {
    const Node& node = graph.node(task.node);
    if (node.type() == "Send") sends[node.attrs.Get<int64_t>("event_id", -1)] = node.id;
    task_of[task.node] = &task;
  }
  for (const PredictedTask& task : run.tasks) {
    const Node& node = graph.node(task.node);
    ReportedStream& stream = report.streams.at(static_cast<size_t>(node.stream));
    if (!IsEvent(node)) {
      stream.nodes.push_back(Reported(node, task.cost));
      stream.predicted_load_us += task.cost.us;
    } else if (node.type() == "Recv") {
      const auto event = node.attrs.Get<int64_t>("event_id", -1);
      ReportedWait& wait = stream.waits.emplace_back();
      wait.event = event;
      wait.predicted_us = task.waited;
      stream.predicted_wait_us += task.waited;
      if (!node.control_out.empty()) wait.before = graph.node(node.control_out[0]).name;
      wait.before = node.attrs.Get<std::string>(kAttachedNode, wait.before);
      if (const auto send = sends.find(event); send != sends.end()) {
        const Node& from = graph.node(send->second);
        wait.on_stream = from.stream;
        if (!from.control_in.empty()) wait.for_node = graph.node(from.control_in[0]).name;
        wait.for_node = from.attrs.Get<std::string>(kAttachedNode, wait.for_node);
      }
    }
  }
  for (const NodeId id : run.critical_path) report.critical_path.push_back(Reported(graph.node(id), task_of[id]->cost));
  const std::unique_ptr<Graph> bare = Bare(graph);
  report.events = InsertEvents(*bare->Clone());
  for (int streams = 1; streams <= kMostWhatIf; ++streams) {
    report.what_if.push_back(Try(*bare, ModeFor(mode, streams), soc, measured, model.dynamic));
  }
  return report;
}

StreamReport MakeStreamReport(const std::string& om_path, const ParallelMode& mode) {
  return MakeStreamReport(ReadOm(om_path), mode);
}

}  // namespace atc
