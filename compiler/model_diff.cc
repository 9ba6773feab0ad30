#include "compiler/model_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace atc {
namespace {

std::string Joined(const auto& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string Number(int64_t value) { return std::to_string(value); }

class Comparison {
 public:
  Comparison(const ModelView& a, const ModelView& b, ModelDiff* to) : a_(a), b_(b), to_(to) {}

  void Run() {
    if (a_.kind == "om" && b_.kind == "om") Maps("model", "", a_.fields, b_.fields);
    const auto in_a = a_.ByKey();
    const auto in_b = b_.ByKey();
    for (const ViewedNode& node : a_.nodes) {
      if (!in_b.contains(node.Key())) Add("node", node.Key(), "", node.type, "");
    }
    for (const ViewedNode& node : b_.nodes) {
      const auto other = in_a.find(node.Key());
      if (other == in_a.end()) {
        Add("node", node.Key(), "", "", node.type);
      } else {
        Nodes(*other->second, node);
      }
    }
    Order(in_a, in_b);
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

  void Nodes(const ViewedNode& a, const ViewedNode& b) {
    const std::string name = b.Key();
    Compare("type", name, "", a.type, b.type);
    Compare("input", name, "", a.inputs, b.inputs);
    if (a.control != b.control) Compare("control", name, "", Sorted(a.control), Sorted(b.control));
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

  // The nodes that both have run in one order, or the first that does not is named.
  void Order(const std::map<std::string, const ViewedNode*>& in_a, const std::map<std::string, const ViewedNode*>& in_b) {
    const auto shared = [](const ModelView& view, const auto& other) {
      std::vector<const ViewedNode*> nodes;
      for (const ViewedNode& node : view.nodes) {
        if (other.contains(node.Key())) nodes.push_back(&node);
      }
      return nodes;
    };
    const auto a = shared(a_, in_b);
    const auto b = shared(b_, in_a);
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i]->Key() == b[i]->Key()) continue;
      return Add("order", a[i]->Key(), fmt::format("place {} of the shared nodes", i), a[i]->Key(), b[i]->Key());
    }
  }

  static std::vector<std::string> Sorted(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
  }

  bool placed() const { return a_.placed && b_.placed; }
  // Constants have their place in the om alone.
  bool PlacedAlike(const ViewedNode& node) const { return placed() && (!node.valued || a_.kind == b_.kind); }

  const ModelView& a_;
  const ModelView& b_;
  ModelDiff* to_;
};

std::string Shown(const std::string& value) { return value.empty() ? "(none)" : value; }

}  // namespace

std::map<std::string, int64_t> ModelDiff::Counts() const {
  std::map<std::string, int64_t> counts;
  for (const Difference& difference : differences) ++counts[difference.kind];
  return counts;
}

std::string ModelDiff::Text() const {
  std::string out = fmt::format("--- {}  {} nodes\n+++ {}  {} nodes\n", a, nodes_a, b, nodes_b);
  for (const Difference& d : differences) {
    if (d.kind == "node") {
      out += d.b.empty() ? fmt::format("- {:<9} {}  {}\n", "node", d.node, d.a)
                         : fmt::format("+ {:<9} {}  {}\n", "node", d.node, d.b);
      continue;
    }
    out += fmt::format("~ {:<9} {}", d.kind, d.node);
    if (!d.what.empty()) out += fmt::format("{}{}", d.node.empty() ? "" : "  ", d.what);
    out += fmt::format(": {} -> {}\n", Shown(d.a), Shown(d.b));
  }
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
  json["differences"] = Object::array();
  for (const Difference& d : differences) {
    json["differences"].push_back({{"kind", d.kind}, {"node", d.node}, {"what", d.what}, {"a", d.a}, {"b", d.b}});
  }
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

ModelDiff DiffModels(const ModelView& a, const ModelView& b) {
  ModelDiff diff;
  diff.a = a.source;
  diff.b = b.source;
  diff.nodes_a = a.nodes.size();
  diff.nodes_b = b.nodes.size();
  Comparison(a, b, &diff).Run();
  return diff;
}

}  // namespace atc
