// Matching: from the pattern's outputs backwards, node by node, each choice of a node for an output being tried.
#include "ge/fusion/pattern_matcher.h"

#include <map>
#include <set>

#include "compiler/ir/error.h"
#include "plugins/sdk/fusion/match_result_impl.h"

namespace ge {
namespace fusion {
namespace {

bool IsConst(const atc::Node& node) { return node.type() == "Const" || node.type() == "Constant"; }

// Inputs without absent ones at the end.
size_t InputCount(const atc::Node& node) {
  size_t count = node.inputs.size();
  while (count > 0 && node.inputs[count - 1] == atc::kNoId) --count;
  return count;
}

// One try: what the nodes and inputs of the pattern stand for so far.
struct Assignment {
  std::map<atc::NodeId, atc::NodeId> nodes;      // of the pattern to those of the graph
  std::map<atc::NodeId, atc::ValueId> inputs;    // Data nodes of the pattern to values of the graph
  std::set<atc::NodeId> taken;                   // of the graph, constants aside
};

class Search {
 public:
  Search(const atc::Graph& pattern, const atc::Graph& graph, const PatternMatcherConfig& config)
      : pattern_(pattern), graph_(graph), config_(config) {}

  // Whether the value of the graph can be what the value of the pattern stands for.
  bool FitValue(atc::ValueId pattern_value, atc::ValueId value, Assignment* to) const {
    if (pattern_value == atc::kNoId || value == atc::kNoId) return pattern_value == value;
    const atc::Value& wanted = pattern_.value(pattern_value);
    const atc::Node& pattern_node = pattern_.node(wanted.producer);
    if (pattern_node.type() == "Data") {
      const auto [place, added] = to->inputs.emplace(pattern_node.id, value);
      return added || place->second == value;
    }
    return wanted.index == graph_.value(value).index && FitNode(pattern_node, graph_.producer(value), to);
  }

  bool FitNode(const atc::Node& pattern_node, const atc::Node& node, Assignment* to) const {
    const auto [place, added] = to->nodes.emplace(pattern_node.id, node.id);
    if (!added) return place->second == node.id;
    if (IsConst(pattern_node)) return IsConst(node) && SameConstant(pattern_node, node);
    if (pattern_node.type() != node.type() || !to->taken.insert(node.id).second) return false;
    if (node.fused || !node.subgraphs.empty() || !node.control_in.empty() || !node.control_out.empty()) return false;
    if (pattern_node.outputs.size() > node.outputs.size() || !SameAttrs(pattern_node, node)) return false;
    const size_t inputs = InputCount(pattern_node);
    if (inputs != InputCount(node)) return false;
    for (size_t i = 0; i < inputs; ++i) {
      if (!FitValue(pattern_node.inputs[i], node.inputs[i], to)) return false;
    }
    return true;
  }

  // Every value that leaves the match is an output of the pattern.
  bool IsClosed(const Assignment& match) const {
    for (const auto& [pattern_id, id] : match.nodes) {
      const atc::Node& pattern_node = pattern_.node(pattern_id);
      if (IsConst(pattern_node)) continue;
      const atc::Node& node = graph_.node(id);
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (i < pattern_node.outputs.size() && IsOutput(pattern_node.outputs[i])) continue;
        for (const atc::Use& use : graph_.value(node.outputs[i]).uses) {
          if (!match.taken.contains(use.node)) return false;
        }
      }
    }
    // A value that comes from outside may not be one that the match itself computes.
    for (const auto& [data, value] : match.inputs) {
      if (match.taken.contains(graph_.value(value).producer)) return false;
    }
    return true;
  }

 private:
  bool IsOutput(atc::ValueId pattern_value) const {
    for (const atc::Use& use : pattern_.value(pattern_value).uses) {
      if (pattern_.node(use.node).type() == "NetOutput") return true;
    }
    return false;
  }

  bool SameConstant(const atc::Node& pattern_node, const atc::Node& node) const {
    if (!config_.IsEnableConstValueMatch()) return true;
    const atc::Tensor* wanted = pattern_node.attrs.FindAs<atc::Tensor>("value");
    const atc::Tensor* has = node.attrs.FindAs<atc::Tensor>("value");
    if (wanted == nullptr) return true;
    return has != nullptr && atc::Equal(atc::AttrValue(wanted->Materialized()), atc::AttrValue(has->Materialized()));
  }

  bool SameAttrs(const atc::Node& pattern_node, const atc::Node& node) const {
    if (!config_.IsEnableIrAttrMatch()) return true;
    for (const atc::AttrDef& attr : pattern_node.def->attrs) {
      const atc::AttrValue* wanted = pattern_node.attrs.Find(attr.name);
      if (wanted == nullptr && attr.required) continue;
      const atc::AttrValue* has = node.attrs.Find(attr.name);
      const atc::AttrDef* declared = node.def->FindAttr(attr.name);
      if (has == nullptr && declared != nullptr && !declared->required) has = &declared->fallback;
      if (has == nullptr || !atc::Equal(wanted == nullptr ? attr.fallback : *wanted, *has)) return false;
    }
    return true;
  }

  const atc::Graph& pattern_;
  const atc::Graph& graph_;
  const PatternMatcherConfig& config_;
};

}  // namespace

class PatternMatcherImpl {
 public:
  PatternMatcherImpl(std::unique_ptr<Pattern> wanted, const GraphPtr& where,
                     std::unique_ptr<PatternMatcherConfig> how)
      : pattern_(std::move(wanted)), config_(std::move(how)) {
    if (config_ == nullptr) config_ = std::make_unique<PatternMatcherConfig>();
    impl_ = where == nullptr ? nullptr : Access::Impl(*where);
    if (impl_ != nullptr && impl_->Get() != nullptr) candidates_ = where->GetDirectNode();
  }

  std::unique_ptr<MatchResult> Next() {
    const atc::Graph* graph = impl_ == nullptr ? nullptr : impl_->Get();
    const auto& pattern_impl = pattern_ == nullptr ? impl_ : Access::Impl(pattern_->GetGraph());
    const atc::Graph* pattern = pattern_ == nullptr || pattern_impl == nullptr ? nullptr : pattern_impl->Get();
    const atc::Node* outputs = pattern == nullptr ? nullptr : pattern->NetOutput();
    if (graph == nullptr || outputs == nullptr || outputs->inputs.empty()) return nullptr;
    const Search search(*pattern, *graph, *config_);
    for (; next_ < candidates_.size(); ++next_) {
      const atc::Node* node = Access::Get(candidates_[next_], *graph);
      if (node == nullptr) continue;
      Assignment match;
      if (!Fit(search, *pattern, *graph, outputs->inputs, 0, node, &match)) continue;
      ++next_;
      return ToResult(*pattern, *graph, match);
    }
    return nullptr;
  }

 private:
  // Fits the pattern's outputs from number `at` on; `node` is the choice for it, null for any.
  bool Fit(const Search& search, const atc::Graph& pattern, const atc::Graph& graph,
           const std::vector<atc::ValueId>& outputs, size_t at, const atc::Node* node, Assignment* match) {
    if (at == outputs.size()) return search.IsClosed(*match);
    const atc::Node& wanted = pattern.producer(outputs[at]);
    if (wanted.type() == "Data" || match->nodes.contains(wanted.id)) {
      return Fit(search, pattern, graph, outputs, at + 1, nullptr, match);
    }
    const auto tried = [&](const atc::Node& choice) {
      if (choice.type() != wanted.type() && !(IsConst(choice) && IsConst(wanted))) return false;
      Assignment trial = *match;
      if (!search.FitNode(wanted, choice, &trial)) return false;
      if (!Fit(search, pattern, graph, outputs, at + 1, nullptr, &trial)) return false;
      *match = std::move(trial);
      return true;
    };
    if (node != nullptr) return tried(*node);
    for (const GNode& candidate : candidates_) {
      const atc::Node* choice = Access::Get(candidate, graph);
      if (choice != nullptr && tried(*choice)) return true;
    }
    return false;
  }

  std::unique_ptr<MatchResult> ToResult(const atc::Graph& pattern, const atc::Graph& graph, const Assignment& match) {
    auto result = std::make_unique<MatchResult>(pattern_.get());
    const auto& pattern_impl = Access::Impl(pattern_->GetGraph());
    for (const auto& [wanted, id] : match.nodes) {
      result->AppendNodeMatchPair({Access::Wrap(pattern_impl, pattern.node(wanted)), 0},
                                  {Access::Wrap(impl_, graph.node(id)), 0});
    }
    for (const auto& [data, value] : match.inputs) {
      result->AppendNodeMatchPair({Access::Wrap(pattern_impl, pattern.node(data)), 0},
                                  {Access::Wrap(impl_, graph.producer(value)), graph.value(value).index});
    }
    return result;
  }

  std::unique_ptr<Pattern> pattern_;
  std::unique_ptr<PatternMatcherConfig> config_;
  std::shared_ptr<GraphImpl> impl_;
  std::vector<GNode> candidates_;
  size_t next_ = 0;
};

PatternMatcher::PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr& graph)
    : PatternMatcher(std::move(pattern), graph, nullptr) {}
PatternMatcher::PatternMatcher(std::unique_ptr<Pattern> pattern, const GraphPtr& graph,
                               std::unique_ptr<PatternMatcherConfig> config)
    : impl_(std::make_unique<PatternMatcherImpl>(std::move(pattern), graph, std::move(config))) {}
PatternMatcher::~PatternMatcher() = default;
std::unique_ptr<MatchResult> PatternMatcher::MatchNext() { return impl_->Next(); }

}  // namespace fusion
}  // namespace ge
