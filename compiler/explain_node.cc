#include "compiler/explain_node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/io/utf8.h"
#include "compiler/ir/error.h"
#include "compiler/ir/nearest_names.h"
#include "compiler/om/reader.h"

namespace atc {
namespace {

using Names = std::set<std::string>;

bool Touches(const std::vector<std::string>& names, const Names& known) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return known.contains(name); });
}

class Explainer {
 public:
  Explainer(const OmModel& model, const Journal* journal, const ParsedNodes& parsed)
      : model_(model), journal_(journal), parsed_(parsed) {
    for (size_t i = 0; i < model.tasks.size(); ++i) {
      // Of several tasks of a node the first tells where it is.
      if (model.tasks[i].op_index != kNoId) tasks_.emplace(model.tasks[i].op_index, i);
    }
    graphs_ = parsed.graphs;
    Collect(*model.graph, "");
  }

  NodeExplanation Explain(const std::string& asked) {
    NodeExplanation result;
    result.name = asked;
    result.has_rewrites = journal_ != nullptr;
    const Names names = Meant(ResolveTask(asked));
    Names lineage = names, sources, gone;
    for (const std::string& name : names) {
      if (by_source_.contains(name)) sources.insert(name);
      if (const auto node = by_name_.find(name); node != by_name_.end()) {
        const auto& from = nodes_[node->second].sources;
        sources.insert(from.begin(), from.end());
      } else if (!by_source_.contains(name)) {
        gone.insert(name);
      }
      // What has gone is known from the model as parsed alone.
      if (const auto node = parsed_.sources.find(name); node != parsed_.sources.end()) {
        sources.insert(node->second.begin(), node->second.end());
      }
    }
    lineage.insert(sources.begin(), sources.end());
    const bool in_journal = Follow(&lineage, &result.rewrites);
    if (sources.empty() && gone == names && !in_journal) throw Unknown(asked);
    result.names.assign(names.begin(), names.end());
    result.sources.assign(sources.begin(), sources.end());
    // Asked for a source node: everything that works for it. Asked for a node: that one.
    for (const ExplainedNode& node : nodes_) {
      const bool serves = Touches(node.sources, names);
      const bool grown = !gone.empty() && lineage.contains(node.name);
      if (names.contains(node.name) || serves || grown) result.nodes.push_back(node);
    }
    return result;
  }

 private:
  void Collect(const Graph& graph, const std::string& owner) {
    for (const NodeId id : graph.TopologicalOrder()) {
      const Node& node = graph.node(id);
      ExplainedNode entry;
      entry.name = node.name;
      entry.type = node.type().str();
      entry.graph = owner;
      entry.sources = graph.origins().Flatten(node.origin);
      entry.engine = node.engine;
      entry.stream = node.stream;
      if (node.fused) {
        for (const NodeId member : node.fused->TopologicalOrder()) {
          const Node& inner = node.fused->node(member);
          if (inner.type() == "Data" || inner.type() == "NetOutput") continue;
          entry.members.push_back(fmt::format("{} ({})", inner.name, inner.type().str()));
        }
      }
      for (const ValueId value : node.outputs) {
        const TensorDesc& desc = graph.desc(value);
        entry.outputs.push_back(
            fmt::format("{} {} {}", DataTypeName(desc.dtype), FormatName(desc.format), ToString(desc.shape)));
      }
      for (const Reason& reason : node.reasons) entry.reasons.push_back(reason.aspect.str() + ": " + reason.rule);
      if (owner.empty()) {
        const auto task = tasks_.find(id);
        if (task != tasks_.end()) entry.task = static_cast<int64_t>(task->second);
      }
      for (const std::string& source : entry.sources) by_source_.insert(source);
      by_name_.emplace(entry.name, nodes_.size());
      nodes_.push_back(std::move(entry));
      for (const Subgraph& nested : node.subgraphs) {
        graphs_.insert(nested.graph->name);
        Collect(*nested.graph, node.name);
      }
    }
  }

  // The name itself, or those that end in it after the name of a nested graph.
  Names Meant(const std::string& name) const {
    const Names known = Known();
    if (known.contains(name)) return {name};
    Names meant;
    for (const std::string& graph : graphs_) {
      if (known.contains(graph + "/" + name)) meant.insert(graph + "/" + name);
    }
    return meant.empty() ? Names{name} : meant;
  }

  // "#12" is the node of task 12.
  std::string ResolveTask(const std::string& name) const {
    if (name.size() < 2 || name[0] != '#') return name;
    size_t number = 0;
    const auto [end, fault] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    if (fault != std::errc() || end != name.data() + name.size()) return name;
    if (number >= model_.tasks.size()) {
      throw Error("E10016", {{"opname", name}, {"parameter", "explain_node"}},
                  fmt::format("The model has {} tasks, from #0 on.", model_.tasks.size()));
    }
    return model_.graph->node(model_.tasks[number].op_index).name;
  }

  // Backwards to what went into the names, then forwards to what came of them. Whether any rewrite knows one.
  bool Follow(Names* lineage, std::vector<Journal::Entry>* rewrites) const {
    if (journal_ == nullptr) return false;
    const auto& entries = journal_->entries();
    Names before = *lineage;
    std::vector<bool> part(entries.size(), false);
    for (size_t i = entries.size(); i-- > 0;) {
      if (!Touches(entries[i].after, before)) continue;
      part[i] = true;
      before.insert(entries[i].before.begin(), entries[i].before.end());
    }
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!Touches(entries[i].before, *lineage)) continue;
      part[i] = true;
      lineage->insert(entries[i].after.begin(), entries[i].after.end());
    }
    for (size_t i = 0; i < entries.size(); ++i) {
      if (part[i]) rewrites->push_back(entries[i]);
    }
    return !rewrites->empty();
  }

  Names Known() const {
    Names all(by_source_);
    for (const auto& [known, place] : by_name_) all.insert(known);
    for (const auto& [known, sources] : parsed_.sources) all.insert(known);
    if (journal_ != nullptr) {
      for (const Journal::Entry& entry : journal_->entries()) {
        all.insert(entry.before.begin(), entry.before.end());
        all.insert(entry.after.begin(), entry.after.end());
      }
    }
    return all;
  }

  Error Unknown(const std::string& name) const {
    const Names all = Known();
    return Error("E10016", {{"opname", name}, {"parameter", "explain_node"}},
                 DidYouMean(name, std::vector<std::string>(all.begin(), all.end())));
  }

  const OmModel& model_;
  const Journal* journal_;
  const ParsedNodes& parsed_;
  std::map<NodeId, size_t> tasks_;
  std::vector<ExplainedNode> nodes_;
  std::map<std::string, size_t> by_name_;
  Names by_source_;
  Names graphs_;  // nested ones, as parsed too
};

void AddLine(const char* what, const std::string& value, std::string* out) {
  if (!value.empty()) *out += fmt::format("  {:<9} {}\n", what, OneLine(value));
}

std::string Joined(const std::vector<std::string>& values) { return fmt::format("{}", fmt::join(values, ", ")); }

}  // namespace

std::string NodeExplanation::Text() const {
  std::string out = OneLine(name) + "\n";
  if (names != std::vector<std::string>{name}) AddLine("named", Joined(names), &out);
  AddLine("source", sources.empty() ? "none: the compiler made it" : Joined(sources), &out);
  for (const Journal::Entry& entry : rewrites) {
    out += fmt::format("  rewrite   {}{}: {}, {}: {} -> {}\n", entry.stage, entry.pass.empty() ? "" : ", " + entry.pass,
                       entry.pattern, entry.number < 0 ? "required" : fmt::format("number {}", entry.number),
                       OneLine(Joined(entry.before)), entry.after.empty() ? "(removed)" : OneLine(Joined(entry.after)));
  }
  if (!has_rewrites) out += "  rewrites  an om does not record them: give --model and the flags of the conversion\n";
  if (nodes.empty()) out += "  node      nothing of it is left in the compiled graph\n";
  for (const ExplainedNode& node : nodes) {
    out += fmt::format("  node      {} ({}){}\n", OneLine(node.name), node.type,
                       node.graph.empty() ? "" : " in the graph of " + OneLine(node.graph));
    if (!node.members.empty()) AddLine("  fused", Joined(node.members), &out);
    if (!node.sources.empty()) AddLine("  from", Joined(node.sources), &out);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      AddLine("  output", fmt::format("{}: {}", i, node.outputs[i]), &out);
    }
    for (const std::string& reason : node.reasons) AddLine("  because", reason, &out);
    AddLine("  task",
            node.task >= 0 ? fmt::format("#{} on stream {}, engine {}", node.task, node.stream, node.engine)
                           : std::string(node.graph.empty() ? "none" : "that of its owner"),
            &out);
  }
  return out;
}

std::string NodeExplanation::Json() const {
  using Object = nlohmann::ordered_json;
  Object json = {{"schema", 1}, {"name", name}, {"names", names}, {"sources", sources}};
  json["rewrites"] = has_rewrites ? Object::array() : Object();
  for (const Journal::Entry& entry : rewrites) {
    json["rewrites"].push_back({{"stage", entry.stage},
                                {"pass", entry.pass},
                                {"pattern", entry.pattern},
                                {"number", entry.number},
                                {"before", entry.before},
                                {"after", entry.after}});
  }
  json["nodes"] = Object::array();
  for (const ExplainedNode& node : nodes) {
    json["nodes"].push_back({{"name", node.name},
                             {"type", node.type},
                             {"graph", node.graph},
                             {"sources", node.sources},
                             {"members", node.members},
                             {"outputs", node.outputs},
                             {"reasons", node.reasons},
                             {"engine", node.engine},
                             {"task", node.task},
                             {"stream", node.stream}});
  }
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

ParsedNodes FindParsedNodes(const Graph& graph) {
  ParsedNodes found;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    std::vector<std::string> sources = graph.origins().Flatten(node.origin);
    if (sources.empty()) sources = {node.name};
    found.sources.emplace(node.name, std::move(sources));
    for (const Subgraph& subgraph : node.subgraphs) {
      ParsedNodes nested = FindParsedNodes(*subgraph.graph);
      found.sources.merge(nested.sources);
      found.graphs.merge(nested.graphs);
      found.graphs.insert(subgraph.graph->name);
    }
  }
  return found;
}

NodeExplanation ExplainNode(const std::string& name, const OmModel& model, const Journal* journal,
                            const ParsedNodes& parsed) {
  return Explainer(model, journal, parsed).Explain(name);
}

NodeExplanation ExplainNode(const std::string& name, const std::string& om_path) {
  return ExplainNode(name, ReadOm(om_path), nullptr);
}

}  // namespace atc
