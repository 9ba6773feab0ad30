#include "compiler/model_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "compiler/io/utf8.h"
#include "compiler/model_match.h"

namespace atc {
namespace {

std::string Joined(const auto& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string Number(int64_t value) { return std::to_string(value); }

class Comparison {
 public:
  Comparison(const ModelView& a, const ModelView& b, OneSided one_sided, ModelDiff* to)
      : a_(a), b_(b), told_(one_sided == OneSided::kTold), match_(MatchNodes(a, b)), to_(to) {}

  void Run() {
    if (a_.kind == "om" && b_.kind == "om") Fields();
    FindRenamed();
    FindMoved();
    for (uint32_t i = 0; i < a_.nodes.size(); ++i) {
      if (match_.b_of[i] == ModelMatch::kNone && !hidden_a_.contains(i))
        Add("node", a_.nodes[i].Key(), "", a_.nodes[i].type, "");
    }
    for (uint32_t i = 0; i < b_.nodes.size(); ++i) {
      const uint32_t other = match_.a_of[i];
      if (other != ModelMatch::kNone) {
        Nodes(a_.nodes[other], b_.nodes[i]);
      } else if (!hidden_b_.contains(i)) {
        Add("node", b_.nodes[i].Key(), "", "", b_.nodes[i].type);
      }
    }
    Order();
  }

 private:
  void Add(std::string kind, std::string node, std::string what, std::string a, std::string b) {
    to_->differences.push_back({std::move(kind), std::move(node), std::move(what), std::move(a), std::move(b)});
  }
  void Compare(const char* kind, const std::string& node, const std::string& what, const std::string& a,
               const std::string& b) {
    if (a != b) Add(kind, node, what, a, b);
  }
  // Lists and numbers become text only where they differ: most do not.
  template <typename T>
  void Compare(const char* kind, const std::string& node, const std::string& what, const std::vector<T>& a,
               const std::vector<T>& b) {
    if (a != b) Add(kind, node, what, Joined(a), Joined(b));
  }
  void Compare(const char* kind, const std::string& node, const std::string& what, int64_t a, int64_t b) {
    if (a != b) Add(kind, node, what, Number(a), Number(b));
  }

  void Maps(const char* kind, const std::string& node, const std::map<std::string, std::string>& a,
            const std::map<std::string, std::string>& b) {
    if (a == b) return;
    std::set<std::string> names;
    for (const auto& [name, value] : a) names.insert(name);
    for (const auto& [name, value] : b) names.insert(name);
    const auto get = [](const auto& map, const std::string& name) {
      const auto found = map.find(name);
      return found == map.end() ? std::string() : found->second;
    };
    for (const std::string& name : names) Compare(kind, node, name, get(a, name), get(b, name));
  }

  // By which command line an om was made is no property of the model.
  void Fields() {
    constexpr char kCommandLine[] = "atc_cmdline";
    std::map<std::string, std::string> a = a_.fields, b = b_.fields;
    if (a[kCommandLine] != b[kCommandLine])
      to_->notes.push_back({"model", "", kCommandLine, a[kCommandLine], b[kCommandLine]});
    a.erase(kCommandLine);
    b.erase(kCommandLine);
    Maps("model", "", a, b);
  }

  // Operands name nodes: how `a` calls those of `b` that it calls otherwise, or does not have.
  void FindRenamed() {
    std::set<std::pair<std::string_view, std::string_view>> in_a;
    for (const ViewedNode& node : a_.nodes) in_a.emplace(node.graph, node.name);
    for (uint32_t i = 0; i < b_.nodes.size(); ++i) {
      const ViewedNode& node = b_.nodes[i];
      const uint32_t other = match_.a_of[i];
      const bool same = other != ModelMatch::kNone && a_.nodes[other].name == node.name;
      if (same || (other == ModelMatch::kNone && !in_a.contains({node.graph, node.name}))) continue;
      renamed_[{node.graph, node.name}] =
          other == ModelMatch::kNone ? node.name + " of " + b_.source : a_.nodes[other].name;
    }
  }

  std::vector<std::string> AsInA(const ViewedNode& reader, const std::vector<std::string>& names, bool ports) const {
    std::vector<std::string> result = names;
    for (std::string& name : result) {
      const size_t end = ports ? std::min(name.rfind(':'), name.size()) : name.size();
      const auto found = renamed_.find({reader.graph, std::string_view(name).substr(0, end)});
      if (found != renamed_.end()) name = found->second + name.substr(end);
    }
    return result;
  }

  void Operands(const char* kind, const std::string& key, const ViewedNode& a, const ViewedNode& b,
                const std::vector<std::string>& in_a, const std::vector<std::string>& in_b, bool ports) {
    if (renamed_.empty() || in_b.empty()) return Compare(kind, key, "", in_a, in_b);
    const std::vector<std::string> translated = AsInA(b, in_b, ports);
    if (in_a != translated) {
      Add(kind, key, "", Joined(in_a), Joined(in_a == in_b ? translated : in_b));
    }
  }

  static std::string OwnerOf(const std::map<std::string, const ViewedNode*>& owners, const ViewedNode& node) {
    const auto owner = owners.find(node.graph);
    return owner == owners.end() ? node.graph : owner->second->Key();
  }

  static std::map<std::string, const ViewedNode*> Owners(const ModelView& view) {
    std::map<std::string, const ViewedNode*> owners;
    for (const ViewedNode& node : view.nodes) {
      for (const std::string& graph : node.graphs) owners.emplace(graph, &node);
    }
    return owners;
  }

  // Nodes that a fused one stands for in one of the models are not gone from it. A graph that only one has is told at
  // once.
  void FindMoved() {
    const auto owners_a = Owners(a_), owners_b = Owners(b_);
    const auto is_work = [](const ViewedNode& node) { return node.type != "Data" && node.type != "NetOutput"; };
    std::map<std::pair<std::string_view, std::string_view>, std::vector<uint32_t>> free_b;  // by name and type
    for (uint32_t i = 0; i < b_.nodes.size(); ++i) {
      if (match_.a_of[i] == ModelMatch::kNone && is_work(b_.nodes[i]))
        free_b[{b_.nodes[i].name, b_.nodes[i].type}].push_back(i);
    }
    const auto place = [](const ViewedNode& node, const auto& owners) {
      return node.fused ? "part of " + OwnerOf(owners, node) : node.type;
    };
    for (uint32_t i = 0; i < a_.nodes.size(); ++i) {
      const ViewedNode& node = a_.nodes[i];
      if (match_.b_of[i] != ModelMatch::kNone || !is_work(node)) continue;
      for (const uint32_t other : free_b[{node.name, node.type}]) {
        const ViewedNode& found = b_.nodes[other];
        if (hidden_b_.contains(other) || (node.graph == found.graph && !node.fused && !found.fused)) continue;
        if (node.fused || found.fused) {
          Add("fused", node.name, "", place(node, owners_a), place(found, owners_b));
        } else {
          Add("graph", node.name, "", node.graph, found.graph);
        }
        hidden_a_.insert(i);
        hidden_b_.insert(other);
        break;
      }
    }
    WholeGraphs(a_, match_.b_of, owners_a, true, &hidden_a_);
    WholeGraphs(b_, match_.a_of, owners_b, false, &hidden_b_);
  }

  void WholeGraphs(const ModelView& view, const std::vector<uint32_t>& other,
                   const std::map<std::string, const ViewedNode*>& owners, bool of_a, std::set<uint32_t>* hidden) {
    std::map<std::string_view, std::vector<uint32_t>> graphs;
    for (uint32_t i = 0; i < view.nodes.size(); ++i) {
      if (view.nodes[i].fused) graphs[view.nodes[i].graph].push_back(i);
    }
    for (const auto& [graph, members] : graphs) {
      if (!std::all_of(members.begin(), members.end(), [&](uint32_t i) { return other[i] == ModelMatch::kNone; }))
        continue;
      std::vector<std::string> work;
      for (const uint32_t i : members) {
        hidden->insert(i);
        const ViewedNode& node = view.nodes[i];
        if (node.type != "Data" && node.type != "NetOutput")
          work.push_back(fmt::format("{} ({})", node.name, node.type));
      }
      const std::string owner = OwnerOf(owners, view.nodes[members[0]]);
      Add("fused", owner, "members", of_a ? Joined(work) : "", of_a ? "" : Joined(work));
    }
  }

  void Nodes(const ViewedNode& a, const ViewedNode& b) {
    const std::string name = a.Key();
    Compare("name", name, "", a.name, b.name);
    Compare("type", name, "", a.type, b.type);
    Operands("input", name, a, b, a.inputs, b.inputs, true);
    if (a.control != b.control)
      Operands("control", name, a, b, Sorted(a.control), Sorted(AsInA(b, b.control, false)), false);
    if (!a.described || !b.described) return;
    if (a.outputs.size() != b.outputs.size()) {
      Add("shape", name, "outputs", Number(static_cast<int64_t>(a.outputs.size())),
          Number(static_cast<int64_t>(b.outputs.size())));
    }
    for (size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i) {
      Tensors(name, fmt::format("output {}", i), a.outputs[i], b.outputs[i], PlacedAlike(a));
    }
    Compare("stream", name, "", a.stream, b.stream);
    Compare("event", name, "", a.event, b.event);
    if (placed()) Compare("workspace", name, "", a.workspace, b.workspace);
    if (!a.weight_sha256.empty() && !b.weight_sha256.empty()) {
      Compare("weight", name, "SHA-256", a.weight_sha256, b.weight_sha256);
    }
    if ((a_.kind == "ge_onnx") == (b_.kind == "ge_onnx")) Maps("attribute", name, a.attrs, b.attrs);
  }

  void Tensors(const std::string& node, const std::string& what, const ViewedTensor& a, const ViewedTensor& b,
               bool placed) {
    Compare("dtype", node, what, a.dtype, b.dtype);
    Compare("format", node, what, a.format, b.format);
    Compare("format", node, what + ", origin", a.origin_format, b.origin_format);
    Compare("shape", node, what, a.shape, b.shape);
    Compare("shape", node, what + ", origin", a.origin_shape, b.origin_shape);
    if (!placed) return;
    Compare("offset", node, what, a.offset, b.offset);
    Compare("size", node, what, a.size, b.size);
  }

  // Nodes that both have, listed in another order: who reads whom is compared elsewhere.
  void Order() {
    std::vector<uint32_t> in_a;  // places in `a`, in the order of `b`
    for (const uint32_t other : match_.a_of) {
      if (other != ModelMatch::kNone) in_a.push_back(other);
    }
    std::vector<uint32_t> sorted = in_a;
    std::sort(sorted.begin(), sorted.end());
    int64_t moved = 0;
    size_t first = 0;
    for (size_t i = in_a.size(); i-- > 0;) {
      if (in_a[i] == sorted[i]) continue;
      ++moved;
      first = i;
    }
    if (moved == 0) return;
    to_->notes.push_back({"order", a_.nodes[sorted[first]].Key(),
                          fmt::format("{} nodes at other places, the first", moved), a_.nodes[sorted[first]].Key(),
                          a_.nodes[in_a[first]].Key()});
    to_->moved = moved;
  }

  static std::vector<std::string> Sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
  }

  bool placed() const { return told_ || (a_.placed && b_.placed); }
  // Constants have their place in the om alone.
  bool PlacedAlike(const ViewedNode& node) const { return placed() && (!node.valued || a_.kind == b_.kind); }

  const ModelView& a_;
  const ModelView& b_;
  const bool told_;
  const ModelMatch match_;
  ModelDiff* to_;
  std::map<std::pair<std::string_view, std::string_view>, std::string> renamed_;  // by graph and name in `b`
  std::set<uint32_t> hidden_a_, hidden_b_;  // nodes without a partner that are told of otherwise
};

std::string Shown(const std::string& value) { return value.empty() ? "(none)" : OneLine(value); }

}  // namespace

std::map<std::string, int64_t> ModelDiff::Counts() const {
  std::map<std::string, int64_t> counts;
  for (const Difference& difference : differences) ++counts[difference.kind];
  return counts;
}

std::string ModelDiff::Text() const {
  std::string out = fmt::format("--- {}  {} nodes\n+++ {}  {} nodes\n", a, nodes_a, b, nodes_b);
  const auto line = [&](char sign, const Difference& d) {
    out += fmt::format("{} {:<9} {}", sign, d.kind, OneLine(d.node));
    if (!d.what.empty()) out += fmt::format("{}{}", d.node.empty() ? "" : "  ", OneLine(d.what));
    out += fmt::format(": {} -> {}\n", Shown(d.a), Shown(d.b));
  };
  for (const Difference& d : differences) {
    if (d.kind == "node") {
      out += d.b.empty() ? fmt::format("- {:<9} {}  {}\n", "node", OneLine(d.node), d.a)
                         : fmt::format("+ {:<9} {}  {}\n", "node", OneLine(d.node), d.b);
    } else {
      line('~', d);
    }
  }
  for (const Difference& d : notes) line('#', d);
  if (equal()) return out + "The models are equal.\n";
  std::vector<std::string> counts;
  for (const auto& [kind, count] : Counts()) counts.push_back(fmt::format("{} {}", kind, count));
  return out + fmt::format("{} difference{}: {}\n", differences.size(), differences.size() == 1 ? "" : "s",
                           fmt::join(counts, ", "));
}

std::string ModelDiff::Json() const {
  using Object = nlohmann::ordered_json;
  Object json = {{"schema", 1}, {"a", a}, {"b", b}, {"nodes_a", nodes_a}, {"nodes_b", nodes_b}, {"equal", equal()}};
  json["counts"] = Counts();
  for (const auto& [key, list] : {std::pair("differences", &differences), std::pair("notes", &notes)}) {
    json[key] = Object::array();
    for (const Difference& d : *list) {
      json[key].push_back({{"kind", d.kind}, {"node", d.node}, {"what", d.what}, {"a", d.a}, {"b", d.b}});
    }
  }
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

ModelDiff DiffModels(const ModelView& a, const ModelView& b, OneSided one_sided) {
  ModelDiff diff;
  diff.a = a.source;
  diff.b = b.source;
  diff.nodes_a = a.nodes.size();
  diff.nodes_b = b.nodes.size();
  Comparison(a, b, one_sided, &diff).Run();
  return diff;
}

}  // namespace atc
