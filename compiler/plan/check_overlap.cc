#include "compiler/plan/check_overlap.h"

#include <algorithm>
#include <map>
#include <set>

namespace atc {
namespace {

struct Piece {
  int64_t begin, end;
  NodeId writer;
  std::set<NodeId> users;
  std::string name;
  bool forever = false;  // the model's input or output
};

// ancestors[n] = every node on a path to n.
std::vector<std::vector<bool>> Ancestors(const Graph& graph) {
  const size_t count = graph.node_capacity();
  std::vector<std::vector<bool>> ancestors(count, std::vector<bool>(count, false));
  std::map<int32_t, NodeId> last;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    std::vector<NodeId> parents = node.control_in;
    for (const ValueId input : node.inputs) {
      if (input != kNoId) parents.push_back(graph.value(input).producer);
    }
    if (node.stream >= 0) {
      if (last.contains(node.stream)) parents.push_back(last[node.stream]);
      last[node.stream] = id;
    }
    for (const NodeId parent : parents) {
      ancestors[id][parent] = true;
      for (size_t i = 0; i < count; ++i) {
        if (ancestors[parent][i]) ancestors[id][i] = true;
      }
    }
  }
  return ancestors;
}

void AddUsers(const Graph& graph, ValueId value, Piece* piece) {
  for (const Use& use : graph.value(value).uses) {
    const Node& user = graph.node(use.node);
    if (user.type() == "NetOutput") {
      piece->forever = true;
    } else if (user.Is(kShapeOnly) && use.input == 0) {
      for (const ValueId output : user.outputs) AddUsers(graph, output, piece);
    } else {
      piece->users.insert(use.node);
    }
  }
}

}  // namespace

std::vector<std::string> CheckOverlap(const Graph& graph, int64_t memory_size) {
  std::vector<std::string> faults;
  std::vector<Piece> pieces;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.type() == "Const") continue;
    for (const ValueId output : node.outputs) {
      const Value& value = graph.value(output);
      if (value.offset < 0 || value.offset + value.size > memory_size || value.offset % 32 != 0) {
        faults.push_back("output " + std::to_string(value.index) + " of '" + node.name + "' lies at " +
                         std::to_string(value.offset) + ", " + std::to_string(value.size) + " bytes, memory has " +
                         std::to_string(memory_size));
        continue;
      }
      const auto bytes = static_cast<int64_t>(DataTypeBytes(value.desc.dtype, value.desc.shape.NumElements()));
      if (value.size < bytes) faults.push_back("output of '" + node.name + "' has fewer bytes than it needs");
      const bool alias = node.Is(kShapeOnly) && graph.Constant(node.inputs[0]) == nullptr;
      if (alias) {
        if (graph.value(node.inputs[0]).offset != value.offset) {
          faults.push_back("'" + node.name + "' does not lie where its input lies");
        }
        continue;
      }
      Piece piece{value.offset, value.offset + value.size, id, {id}, node.name};
      piece.forever = node.type() == "Data";
      AddUsers(graph, output, &piece);
      pieces.push_back(std::move(piece));
    }
  }
  const auto ancestors = Ancestors(graph);
  const auto over_before = [&](const Piece& a, const Piece& b) {
    return !a.forever && std::all_of(a.users.begin(), a.users.end(),
                                     [&](NodeId user) { return user != b.writer && ancestors[b.writer][user]; });
  };
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t j = i + 1; j < pieces.size() && pieces[j].begin < pieces[i].end; ++j) {
      if (over_before(pieces[i], pieces[j]) || over_before(pieces[j], pieces[i])) continue;
      faults.push_back("'" + pieces[i].name + "' and '" + pieces[j].name + "' share bytes " +
                       std::to_string(pieces[j].begin) + " to " + std::to_string(std::min(pieces[i].end, pieces[j].end)) +
                       " while both are needed");
    }
  }
  return faults;
}

}  // namespace atc
