#include <algorithm>
#include <set>

#include "compiler/ir/journal.h"
#include "compiler/ir/stream_label.h"
#include "ge/fusion/graph_fuse_inspector_utils.h"
#include "plugins/sdk/fusion/match_result_impl.h"

namespace ge {
namespace fusion {

std::vector<atc::Use> UsesInOrder(const atc::Graph& graph, atc::ValueId value) {
  std::vector<atc::Use> uses = graph.value(value).uses;
  std::sort(uses.begin(), uses.end(), [](const atc::Use& a, const atc::Use& b) {
    return a.node != b.node ? a.node < b.node : a.input < b.input;
  });
  return uses;
}

bool WouldBeCycle(const atc::Graph& graph, const std::vector<atc::NodeId>& nodes,
                  std::pair<std::string, std::string>* found) {
  const std::set<atc::NodeId> inside(nodes.begin(), nodes.end());
  std::set<atc::NodeId> seen;
  std::vector<atc::NodeId> open;
  // From the inside, the first step must leave it.
  const auto visit = [&](atc::NodeId from, atc::NodeId to) {
    if (inside.contains(to)) {
      if (inside.contains(from)) return false;
      *found = {graph.node(from).name, graph.node(to).name};
      return true;
    }
    if (seen.insert(to).second) open.push_back(to);
    return false;
  };
  const auto step = [&](atc::NodeId id) {
    const atc::Node& node = graph.node(id);
    for (const atc::ValueId output : node.outputs) {
      for (const atc::Use& use : UsesInOrder(graph, output)) {
        if (visit(id, use.node)) return true;
      }
    }
    return std::any_of(node.control_out.begin(), node.control_out.end(),
                       [&](atc::NodeId to) { return visit(id, to); });
  };
  for (const atc::NodeId id : nodes) {
    if (step(id)) return true;
  }
  while (!open.empty()) {
    const atc::NodeId id = open.back();
    open.pop_back();
    if (step(id)) return true;
  }
  return false;
}

bool GraphFuseInspectorUtils::CanFuse(const std::vector<GNode>& nodes, AscendString& reason) {
  const atc::Graph* graph = nullptr;
  std::vector<atc::NodeId> ids;
  std::string label;
  for (const GNode& handle : nodes) {
    const atc::Node* node = Access::Get(handle);
    const atc::Graph* where = node == nullptr ? nullptr : Access::Impl(handle)->graph->Get();
    if (where == nullptr || (graph != nullptr && where != graph)) {
      reason = node == nullptr ? "a node is gone" : "the nodes are of different graphs";
      return false;
    }
    graph = where;
    if (ids.empty()) label = atc::StreamLabelOf(*node);
    if (label != atc::StreamLabelOf(*node)) {
      reason = AscendString(("the stream labels differ: '" + label + "' and '" + atc::StreamLabelOf(*node) +
                             "' of node '" + node->name + "'").c_str());
      return false;
    }
    ids.push_back(node->id);
  }
  std::pair<std::string, std::string> path;
  if (graph == nullptr || !WouldBeCycle(*graph, ids, &path)) return true;
  reason = AscendString(("as one node they would be part of a cycle: '" + path.first + "' is fed by one of them and feeds '" +
                         path.second + "'").c_str());
  return false;
}

Status GraphFuseInspectorUtils::ReportFuse(const std::vector<GNode>& before, const std::vector<GNode>& after,
                                           CustomPassContext& context) {
  for (const GNode& new_handle : after) {
    atc::Node* made = Access::Get(new_handle);
    if (made == nullptr) return FAILED;
    atc::OriginTable& origins = Access::Impl(new_handle)->graph->Get()->origins();
    for (const GNode& old_handle : before) {
      const atc::Node* gone = Access::Get(old_handle);
      if (gone == nullptr) return FAILED;
      made->origin = origins.Union(made->origin, gone->origin);
      atc::CopyStreamLabels(*gone, *made);
    }
  }
  if (const auto& session = Access::SessionOf(context)) ++session->replaced;
  return SUCCESS;
}

}  // namespace fusion
}  // namespace ge
