#include "compiler/streams/attached_streams.h"

#include <map>
#include <string>
#include <utility>

#include "compiler/streams/stream_passes.h"

namespace atc {
namespace {

const OpDef& ShareDef() {
  static const OpDef* def = new OpDef("AttachedShare");
  return *def;
}

bool IsEvent(const Node& node) { return node.type() == "Send" || node.type() == "Recv"; }

template <typename F>
void ForEachBefore(const Graph& graph, const Node& node, F&& visit) {
  for (const ValueId input : node.inputs) {
    if (input != kNoId) visit(graph.value(input).producer);
  }
  for (const NodeId before : node.control_in) visit(before);
}

}  // namespace

AttachedStreams::AttachedStreams(Graph& graph, std::vector<NodeId>* order) : graph_(graph) {
  std::vector<NodeId> with_shares;
  const size_t count = graph.node_capacity();
  for (const NodeId id : *order) {
    with_shares.push_back(id);
    const Node& node = graph.node(id);
    const auto* streams = node.stream < 0 ? nullptr : node.attrs.FindAs<std::vector<int64_t>>(kAttachedStreamIds);
    if (streams == nullptr) continue;
    for (const int64_t stream : *streams) {
      if (stream == node.stream || stream < 0) continue;
      Node& share = graph.Add(ShareDef(), node.name + "_attached", {}, 0);
      share.stream = static_cast<int32_t>(stream);
      share.origin = graph.node(id).origin;
      if (shares_.empty()) shares_.resize(count);
      shares_[id].push_back(share.id);
      node_of_.resize(share.id + 1, kNoId);
      node_of_[share.id] = id;
      with_shares.push_back(share.id);
    }
  }
  if (shares_.empty()) return;
  Link();
  Join(&with_shares);
  *order = std::move(with_shares);
}

void AttachedStreams::Link() {
  const size_t count = shares_.size();
  for (NodeId id = 0; id < count; ++id) {
    if (!graph_.node(id).alive) continue;
    std::vector<NodeId> before;
    ForEachBefore(graph_, graph_.node(id), [&](NodeId other) {
      if (other < count) before.push_back(other);
    });
    for (const NodeId other : before) {
      for (const NodeId share : shares_[id]) {
        graph_.AddControl(other, share);
        for (const NodeId theirs : shares_[other]) graph_.AddControl(theirs, share);
      }
      for (const NodeId theirs : shares_[other]) graph_.AddControl(theirs, id);
    }
  }
}

void AttachedStreams::Join(std::vector<NodeId>* order) {
  const Node* output = graph_.NetOutput();
  if (output == nullptr) return;
  std::map<int32_t, NodeId> last;  // share of each stream
  NodeId maker = kNoId;            // the last task whose value leaves the model
  std::vector<bool> leaves(graph_.node_capacity(), false);
  leaves[output->id] = true;
  for (auto id = order->rbegin(); id != order->rend(); ++id) {
    const Node& node = graph_.node(*id);
    if (node.def == &ShareDef()) {
      last.try_emplace(node.stream, node.id);
      continue;
    }
    if (!leaves[*id]) continue;
    if (node.stream >= 0) {
      if (maker == kNoId) maker = *id;
      continue;
    }
    ForEachBefore(graph_, node, [&](NodeId before) { leaves[before] = true; });
  }
  if (maker == kNoId) return;
  Node& join = graph_.Add(ShareDef(), output->name + "_join", {}, 0);
  join.stream = graph_.node(maker).stream;
  join.origin = graph_.NetOutput()->origin;
  join_ = join.id;
  for (const auto& [stream, share] : last) {
    if (stream != join.stream) graph_.AddControl(share, join_);
  }
  order->push_back(join_);
}

void AttachedStreams::Remove(std::vector<NodeId>* launch) {
  if (empty()) return;
  std::vector<NodeId> kept;
  std::map<int32_t, NodeId> last;  // event of each attached stream
  std::vector<std::vector<NodeId>> recv_of(graph_.node_capacity()), send_of(graph_.node_capacity());
  const auto release = [&](NodeId share, const std::string& name) {
    Node& node = graph_.node(share);
    for (const NodeId before : std::vector<NodeId>(node.control_in)) {
      graph_.RemoveControl(before, share);
      if (IsEvent(graph_.node(before))) recv_of[share].push_back(before);
    }
    for (const NodeId after : std::vector<NodeId>(node.control_out)) {
      graph_.RemoveControl(share, after);
      if (IsEvent(graph_.node(after))) send_of[share].push_back(after);
    }
    for (const auto* events : {&recv_of[share], &send_of[share]}) {
      for (const NodeId event : *events) graph_.node(event).attrs.Set(kAttachedNode, name);
    }
  };
  for (const NodeId id : *launch) {
    const bool share = graph_.node(id).def == &ShareDef();
    if (share) release(id, graph_.node(id == join_ ? graph_.NetOutput()->id : node_of_[id]).name);
  }
  const NodeId output = join_ == kNoId ? kNoId : graph_.NetOutput()->id;
  for (const NodeId id : *launch) {
    const Node& node = graph_.node(id);
    if (id == output || node.def == &ShareDef() || node.attrs.Has(kAttachedNode)) continue;
    const auto put = [&](const std::vector<NodeId>& events) {
      for (const NodeId event : events) {
        const auto [before, first] = last.try_emplace(graph_.node(event).stream, event);
        if (!first) graph_.AddControl(std::exchange(before->second, event), event);
        kept.push_back(event);
      }
    };
    if (id < shares_.size()) {
      for (const NodeId share : shares_[id]) put(recv_of[share]);
    }
    kept.push_back(id);
    if (id < shares_.size()) {
      for (const NodeId share : shares_[id]) put(send_of[share]);
    }
  }
  if (join_ != kNoId) {
    for (const NodeId recv : recv_of[join_]) {
      graph_.AddControl(recv, output);
      kept.push_back(recv);
    }
    kept.push_back(output);
  }
  for (const NodeId id : *launch) {
    if (graph_.node(id).def == &ShareDef()) graph_.Remove(id);
  }
  *launch = std::move(kept);
}

}  // namespace atc
