#include "plugins/sdk/fusion/match_result_impl.h"

namespace ge {
namespace fusion {
namespace {

std::string NameOf(const GNode& node) {
  const atc::Node* found = Access::Get(node);
  return found == nullptr ? "" : found->name;
}

}  // namespace

MatchResult::MatchResult(const Pattern* pattern) : impl_(std::make_unique<MatchResultImpl>()) {
  impl_->pattern = pattern;
}
MatchResult::MatchResult(const MatchResult& other) noexcept : impl_(std::make_unique<MatchResultImpl>(*other.impl_)) {}
MatchResult::MatchResult(MatchResult&& other) noexcept = default;
MatchResult& MatchResult::operator=(const MatchResult& other) noexcept {
  impl_ = std::make_unique<MatchResultImpl>(*other.impl_);
  return *this;
}
MatchResult& MatchResult::operator=(MatchResult&& other) noexcept = default;
MatchResult::~MatchResult() = default;

Status MatchResult::AppendNodeMatchPair(const NodeIo& pattern_output, const NodeIo& matched_output) {
  const atc::Node* pattern_node = Access::Get(pattern_output.node);
  if (pattern_node == nullptr || Access::Get(matched_output.node) == nullptr) return FAILED;
  if (pattern_node->type() == "Data") {
    return impl_->inputs.emplace(pattern_node->name, matched_output).second ? SUCCESS : FAILED;
  }
  const auto [place, added] = impl_->nodes.emplace(pattern_node->name, matched_output.node);
  return added || NameOf(place->second) == NameOf(matched_output.node) ? SUCCESS : FAILED;
}

Status MatchResult::GetMatchedNode(const GNode& pattern_node, GNode& matched_node) const {
  const std::string name = NameOf(pattern_node);
  if (const auto node = impl_->nodes.find(name); node != impl_->nodes.end()) {
    matched_node = node->second;
    return SUCCESS;
  }
  const auto input = impl_->inputs.find(name);
  if (input == impl_->inputs.end()) return FAILED;
  matched_node = input->second.node;
  return SUCCESS;
}

std::vector<GNode> MatchResult::GetMatchedNodes() const {
  std::vector<GNode> nodes;
  for (const GNode& pattern_node : GetPatternGraph().GetDirectNode()) {
    const auto found = impl_->nodes.find(NameOf(pattern_node));
    if (found != impl_->nodes.end()) nodes.push_back(found->second);
  }
  return nodes;
}

Status MatchResult::GetCapturedTensor(size_t index, NodeIo& output) const {
  std::vector<NodeIo> captured;
  impl_->pattern->GetCapturedTensors(captured);
  if (index >= captured.size()) return FAILED;
  const std::string name = NameOf(captured[index].node);
  if (const auto input = impl_->inputs.find(name); input != impl_->inputs.end()) {
    output = input->second;
    return SUCCESS;
  }
  const auto node = impl_->nodes.find(name);
  if (node == impl_->nodes.end()) return FAILED;
  output = {node->second, captured[index].index};
  return SUCCESS;
}

const Graph& MatchResult::GetPatternGraph() const { return impl_->pattern->GetGraph(); }

std::unique_ptr<SubgraphBoundary> MatchResult::ToSubgraphBoundary() const {
  const std::shared_ptr<GraphImpl>& impl = Access::Impl(GetPatternGraph());
  const atc::Graph* pattern = impl ? impl->Get() : nullptr;
  if (pattern == nullptr || pattern->NetOutput() == nullptr) return nullptr;
  auto boundary = std::make_unique<SubgraphBoundary>();
  const std::vector<atc::NodeId> data = pattern->Inputs();
  for (size_t i = 0; i < data.size(); ++i) {
    SubgraphInput input;
    for (const atc::Use& use : UsesInOrder(*pattern, pattern->node(data[i]).outputs[0])) {
      const auto user = impl_->nodes.find(pattern->node(use.node).name);
      if (user != impl_->nodes.end()) input.AddInput({user->second, static_cast<int64_t>(use.input)});
    }
    if (boundary->AddInput(static_cast<int64_t>(i), input) != SUCCESS) return nullptr;
  }
  int64_t index = 0;
  for (const atc::ValueId output : pattern->NetOutput()->inputs) {
    const atc::Value& value = pattern->value(output);
    const auto node = impl_->nodes.find(pattern->node(value.producer).name);
    if (node == impl_->nodes.end()) return nullptr;
    if (boundary->AddOutput(index++, SubgraphOutput({node->second, static_cast<int64_t>(value.index)})) != SUCCESS)
      return nullptr;
  }
  return boundary;
}

AscendString MatchResult::ToAscendString() const {
  AscendString name;
  GetPatternGraph().GetName(name);
  std::string text = std::string(name.GetString()) + " {";
  const char* separator = "";
  for (const auto& [pattern_node, node] : impl_->nodes) {
    text += separator + pattern_node + " -> " + NameOf(node);
    separator = ", ";
  }
  return AscendString((text + "}").c_str());
}

}  // namespace fusion
}  // namespace ge
