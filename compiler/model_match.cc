#include "compiler/model_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>

namespace atc {
namespace {

constexpr uint32_t kNone = ModelMatch::kNone;
using Places = std::vector<uint32_t>;

struct Operand {
  uint32_t node = kNone;  // kNone: absent, or not in the file
  std::string_view port;
};

// A model with its wiring as places.
class Side {
 public:
  explicit Side(const ModelView& view) : nodes(view.nodes) {
    inputs.resize(nodes.size());
    control.resize(nodes.size());
    readers.resize(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      by_name[nodes[i].graph].emplace(nodes[i].name, i);
      graphs[nodes[i].graph].push_back(i);
    }
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const auto& names = by_name[nodes[i].graph];
      const auto find = [&](std::string_view name) {
        const auto found = names.find(name);
        return found == names.end() ? kNone : found->second;
      };
      for (const std::string_view input : nodes[i].inputs) {
        const size_t colon = std::min(input.rfind(':'), input.size());
        inputs[i].push_back({find(input.substr(0, colon)), input.substr(colon)});
      }
      for (const std::string& from : nodes[i].control) control[i].push_back(find(from));
      for (const Operand& operand : inputs[i]) AddReader(operand.node, i);
      for (const uint32_t from : control[i]) AddReader(from, i);
    }
  }

  uint32_t Find(std::string_view graph, std::string_view name) const {
    const auto names = by_name.find(graph);
    if (names == by_name.end()) return kNone;
    const auto found = names->second.find(name);
    return found == names->second.end() ? kNone : found->second;
  }

  const std::vector<ViewedNode>& nodes;
  std::vector<std::vector<Operand>> inputs;
  std::vector<Places> control, readers;
  std::map<std::string_view, std::unordered_map<std::string_view, uint32_t>> by_name;  // by graph
  std::map<std::string_view, Places> graphs;

 private:
  void AddReader(uint32_t from, uint32_t reader) {
    if (from != kNone && (readers[from].empty() || readers[from].back() != reader)) readers[from].push_back(reader);
  }
};

// The compiler numbers what it inserts: one more in front, and all later ones have other names.
bool IsNumbered(const ViewedNode& node) {
  return node.name.starts_with("trans_") || node.type == "Send" || node.type == "Recv";
}

class Matcher {
 public:
  Matcher(const ModelView& a, const ModelView& b) : a_(a), b_(b) {
    match_.b_of.assign(a.nodes.size(), kNone);
    match_.a_of.assign(b.nodes.size(), kNone);
  }

  ModelMatch Run() {
    for (const auto& [graph, places] : b_.graphs) {
      if (a_.graphs.contains(graph)) PairGraphs(graph, graph);
    }
    // What is the same at sight: nothing is to be found by structure.
    if (LeftOver(a_, match_.b_of).empty() && LeftOver(b_, match_.a_of).empty()) return Finished();
    IndexReaders();
    Spread();
    PairLeaves();
    for (const uint32_t b : LeftOver(b_, match_.a_of)) {
      const uint32_t a = NamedAlike(b);
      if (a != kNone) Pair(a, b);
    }
    Spread();
    PairGraphsAlike();
    return Finished();
  }

 private:
  static Places LeftOver(const Side& side, const Places& other) {
    Places left;
    for (uint32_t i = 0; i < side.nodes.size(); ++i) {
      if (other[i] == kNone) left.push_back(i);
    }
    return left;
  }

  ModelMatch Finished() { return std::move(match_); }

  void Pair(uint32_t a, uint32_t b) {
    match_.b_of[a] = b;
    match_.a_of[b] = a;
    fresh_.emplace_back(a, b);
  }

  bool Free(uint32_t a, uint32_t b) const {
    return a != kNone && b != kNone && match_.b_of[a] == kNone && match_.a_of[b] == kNone;
  }

  // The node of b's name in the graph of `a` that goes with its own.
  uint32_t NamedAlike(uint32_t b) const {
    const auto graph = graph_of_b_.find(b_.nodes[b].graph);
    if (graph == graph_of_b_.end()) return kNone;
    const uint32_t a = a_.Find(graph->second, b_.nodes[b].name);
    return Free(a, b) ? a : kNone;
  }

  void PairGraphs(std::string_view a, std::string_view b) {
    graph_of_b_.emplace(b, a);
    b_graph_of_a_.emplace(a, b);
    for (const uint32_t place : b_.graphs[b]) {
      if (IsNumbered(b_.nodes[place])) continue;
      const uint32_t other = NamedAlike(place);
      if (other != kNone) Pair(other, place);
    }
    // A graph has one NetOutput.
    const auto end_of = [](const Side& side, std::string_view graph) {
      const Places& places = side.graphs.at(graph);
      const auto end =
          std::find_if(places.begin(), places.end(), [&](uint32_t i) { return side.nodes[i].type == "NetOutput"; });
      return end == places.end() ? kNone : *end;
    };
    const uint32_t end_a = end_of(a_, a), end_b = end_of(b_, b);
    if (Free(end_a, end_b)) Pair(end_a, end_b);
  }

  bool GraphsFree(std::string_view a, std::string_view b) const {
    return !b_graph_of_a_.contains(a) && !graph_of_b_.contains(b) && a_.graphs.contains(a) && b_.graphs.contains(b);
  }

  // What a node reads, in places of `a`; empty: not all of it is matched, or it reads nothing.
  std::string Reads(const Side& side, uint32_t node, bool of_b) const {
    std::string text;
    const auto add = [&](uint32_t from, std::string_view port) {
      const uint32_t place = of_b && from != kNone ? match_.a_of[from] : from;
      if (from != kNone && place == kNone) return false;
      text += fmt::format("{}{} ", static_cast<int64_t>(from == kNone ? -1 : place), port);
      return true;
    };
    for (const Operand& operand : side.inputs[node]) {
      if (!add(operand.node, operand.port)) return "";
    }
    Places control;
    for (const uint32_t from : side.control[node]) {
      if (from == kNone || (of_b && match_.a_of[from] == kNone)) return "";
      control.push_back(of_b ? match_.a_of[from] : from);
    }
    std::sort(control.begin(), control.end());
    for (const uint32_t from : control) text += fmt::format("^{} ", from);
    return text.empty() ? "" : side.nodes[node].type + " " + text;
  }

  void IndexReaders() {
    for (const uint32_t a : LeftOver(a_, match_.b_of)) {
      if (std::string reads = Reads(a_, a, false); !reads.empty()) readers_[std::move(reads)].push_back(a);
    }
  }

  void Forward(uint32_t b) {
    if (match_.a_of[b] != kNone) return;
    const auto found = readers_.find(Reads(b_, b, true));
    if (found == readers_.end()) return;
    const Places& places = found->second;
    const auto best = [&](bool same_name) {
      const auto at = std::find_if(places.begin(), places.end(), [&](uint32_t a) {
        return Free(a, b) && (!same_name || a_.nodes[a].name == b_.nodes[b].name);
      });
      return at == places.end() ? kNone : *at;
    };
    uint32_t a = best(true);
    if (a == kNone) a = best(false);
    if (a != kNone) Pair(a, b);
  }

  void Backward(uint32_t a, uint32_t b) {
    const auto& in_a = a_.inputs[a];
    const auto& in_b = b_.inputs[b];
    for (size_t i = 0; in_a.size() == in_b.size() && i < in_a.size(); ++i) {
      if (Free(in_a[i].node, in_b[i].node) && in_a[i].port == in_b[i].port && Alike(in_a[i].node, in_b[i].node)) {
        Pair(in_a[i].node, in_b[i].node);
      }
    }
    for (const uint32_t from_b : b_.control[b]) {
      for (const uint32_t from_a : a_.control[a]) {
        if (Free(from_a, from_b) && Alike(from_a, from_b)) Pair(from_a, from_b);
      }
    }
  }

  bool Alike(uint32_t a, uint32_t b) const { return a_.nodes[a].type == b_.nodes[b].type; }

  void Spread() {
    while (!fresh_.empty()) {
      const auto [a, b] = fresh_.front();
      fresh_.pop_front();
      const auto& of_a = a_.nodes[a].graphs;
      const auto& of_b = b_.nodes[b].graphs;
      for (size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i) {
        if (GraphsFree(of_a[i], of_b[i])) PairGraphs(of_a[i], of_b[i]);
      }
      for (const uint32_t reader : b_.readers[b]) Forward(reader);
      Backward(a, b);
    }
  }

  // Nodes that read nothing, and that no match has led to: inputs by their order, constants by what they hold.
  void PairLeaves() {
    std::map<std::string, std::pair<Places, Places>> leaves;
    const auto add = [&](const Side& side, const Places& left, bool of_b) {
      for (const uint32_t i : left) {
        const ViewedNode& node = side.nodes[i];
        if (!side.inputs[i].empty() || !side.control[i].empty()) continue;
        std::string_view graph = node.graph;
        if (of_b) {
          const auto other = graph_of_b_.find(graph);
          if (other == graph_of_b_.end()) continue;
          graph = other->second;
        }
        std::string key = fmt::format("{}\n{}\n{}", graph, node.type, node.weight_sha256);
        for (const ViewedTensor& output : node.outputs) {
          key += fmt::format("\n{} {}", output.dtype, fmt::join(output.origin_shape, ","));
        }
        auto& [in_a, in_b] = leaves[std::move(key)];
        (of_b ? in_b : in_a).push_back(i);
      }
    };
    add(a_, LeftOver(a_, match_.b_of), false);
    add(b_, LeftOver(b_, match_.a_of), true);
    for (const auto& [key, both] : leaves) {
      if (both.first.size() != both.second.size()) continue;
      const bool data = a_.nodes[both.first[0]].type == "Data";
      for (size_t i = 0; i < both.first.size() && (data || both.first.size() == 1); ++i) {
        if (Free(both.first[i], both.second[i])) Pair(both.first[i], both.second[i]);
      }
    }
    Spread();
  }

  // Dumps without texts do not say who owns a graph: those of equal contents go together, in order.
  void PairGraphsAlike() {
    const auto contents = [](const Side& side, std::string_view graph) {
      std::string types;
      for (const uint32_t i : side.graphs.at(graph)) types += side.nodes[i].type + " ";
      return types;
    };
    std::map<std::string, std::deque<std::string_view>> alike;
    for (const auto& [graph, places] : a_.graphs) {
      if (!b_graph_of_a_.contains(graph)) alike[contents(a_, graph)].push_back(graph);
    }
    for (const auto& [graph, places] : b_.graphs) {
      if (graph_of_b_.contains(graph)) continue;
      const auto found = alike.find(contents(b_, graph));
      if (found == alike.end() || found->second.empty()) continue;
      PairGraphs(found->second.front(), graph);
      found->second.pop_front();
    }
    Spread();
    PairLeaves();
  }

  Side a_, b_;
  ModelMatch match_;
  std::map<std::string_view, std::string_view> graph_of_b_, b_graph_of_a_;
  std::unordered_map<std::string, Places> readers_;  // free nodes of `a` by what they read
  std::deque<std::pair<uint32_t, uint32_t>> fresh_;  // pairs that have led to no others yet
};

}  // namespace

ModelMatch MatchNodes(const ModelView& a, const ModelView& b) { return Matcher(a, b).Run(); }

}  // namespace atc
