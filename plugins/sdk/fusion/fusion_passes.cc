// What the classes of passes do when they run, and how they become passes among the others.
#include <functional>

#include "compiler/ir/journal.h"
#include "ge/fusion/graph_rewriter.h"
#include "ge/fusion/pass/decompose_pass.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/fusion/pattern_matcher.h"
#include "plugins/sdk/fusion/match_result_impl.h"
#include "plugins/sdk/fusion/node_boundary.h"
#include "plugins/sdk/pass_host.h"

namespace ge {
namespace fusion {
namespace {

using Matches = std::unique_ptr<MatchResult>;

void Blame(CustomPassContext& context, const std::string& what) {
  if (AscendString() == context.GetErrorMessage()) context.SetErrorMessage(AscendString(what.c_str()));
}

// Replaces one part. The session, where it is one of a conversion, knows why it was refused.
Status ReplaceBy(const SubgraphBoundary& boundary, const GraphUniqPtr& replacement, const std::string& where,
                 CustomPassContext& context) {
  if (replacement == nullptr) {
    Blame(context, "it gave no replacement for " + where);
    return FAILED;
  }
  if (SubgraphRewriter::Replace(boundary, *replacement) == SUCCESS) return SUCCESS;
  const auto& session = Access::SessionOf(context);
  Blame(context, where + ": " + (session == nullptr ? "the replacement was refused" : session->fault));
  return FAILED;
}

// Each replacement is an optional rewrite of the conversion, as those of the compiler's own passes are.
bool MayReplace(const std::vector<GNode>& handles, const char* pattern) {
  const atc::PassHost* host = atc::CurrentHost();
  if (host == nullptr || host->journal == nullptr) return true;
  std::vector<const atc::Node*> nodes;
  for (const GNode& handle : handles) {
    const atc::Node* node = Access::Get(handle);
    if (node != nullptr && node->type() != "Const" && node->type() != "Constant") nodes.push_back(node);
  }
  return host->journal->Allow(pattern, nodes);
}

// The nodes that a replacement has added to the graph that held `handles`, for the journal.
class Additions {
 public:
  explicit Additions(const std::vector<GNode>& handles) {
    if (handles.empty() || Access::Impl(handles[0]) == nullptr) return;
    graph_ = Access::Impl(handles[0])->graph->Get();
    if (graph_ != nullptr) before_ = graph_->node_capacity();
  }

  void Note() const {
    const atc::PassHost* host = atc::CurrentHost();
    if (graph_ == nullptr || host == nullptr || host->journal == nullptr) return;
    for (size_t id = before_; id < graph_->node_capacity(); ++id) {
      const atc::Node& node = graph_->node(static_cast<atc::NodeId>(id));
      if (node.alive) host->journal->Made(node);
    }
  }

 private:
  const atc::Graph* graph_ = nullptr;
  size_t before_ = 0;
};

bool WouldBeCycle(const MatchResult& match) {
  std::vector<atc::NodeId> ids;
  const atc::Graph* graph = nullptr;
  for (const GNode& handle : match.GetMatchedNodes()) {
    const atc::Node* node = Access::Get(handle);
    if (node == nullptr) return true;
    graph = Access::Impl(handle)->graph->Get();
    // A constant feeds, and nothing feeds it.
    if (node->type() != "Const" && node->type() != "Constant") ids.push_back(node->id);
  }
  std::pair<std::string, std::string> path;
  return graph != nullptr && fusion::WouldBeCycle(*graph, ids, &path);
}

Status RunPatterns(GraphPtr& graph, CustomPassContext& context, const PatternMatcherConfig* config,
                   std::vector<PatternUniqPtr> patterns, const std::function<bool(const Matches&)>& meets,
                   const std::function<GraphUniqPtr(const Matches&)>& replacement) {
  bool changed = false;
  for (PatternUniqPtr& pattern : patterns) {
    if (pattern == nullptr) continue;
    PatternMatcher matcher(std::move(pattern), graph,
                           config == nullptr ? nullptr : std::make_unique<PatternMatcherConfig>(*config));
    while (const Matches match = matcher.MatchNext()) {
      if (!meets(match) || WouldBeCycle(*match)) continue;
      const auto boundary = match->ToSubgraphBoundary();
      if (boundary == nullptr) continue;
      const std::string where = match->ToAscendString().GetString();
      if (!MayReplace(match->GetMatchedNodes(), "user's pattern")) continue;
      const Additions additions(match->GetMatchedNodes());
      if (ReplaceBy(*boundary, replacement(match), where, context) != SUCCESS) return FAILED;
      additions.Note();
      changed = true;
    }
  }
  return changed ? SUCCESS : NOT_CHANGED;
}

Status RunOnTypes(GraphPtr& graph, CustomPassContext& context, const std::vector<AscendString>& types,
                  const std::function<bool(const GNode&)>& meets,
                  const std::function<GraphUniqPtr(const GNode&)>& replacement) {
  bool changed = false;
  for (const GNode& node : graph->GetDirectNode()) {
    AscendString type;
    AscendString name;
    if (node.GetType(type) != GRAPH_SUCCESS || node.GetName(name) != GRAPH_SUCCESS) continue;
    bool wanted = false;
    for (const AscendString& listed : types) wanted = wanted || listed == type;
    if (!wanted || !meets(node)) continue;
    const std::string where = std::string("node '") + name.GetString() + "'";
    if (!MayReplace({node}, "user's decomposition")) continue;
    const Additions additions({node});
    if (ReplaceBy(BoundaryOf(node), replacement(node), where, context) != SUCCESS) return FAILED;
    additions.Note();
    changed = true;
  }
  return changed ? SUCCESS : NOT_CHANGED;
}

}  // namespace

Status PatternFusionPass::Run(GraphPtr& graph, CustomPassContext& context) {
  return RunPatterns(
      graph, context, config_.get(), Patterns(), [this](const Matches& match) { return MeetRequirements(match); },
      [this](const Matches& match) { return Replacement(match); });
}

Status PatternFusionPassV2::Run(GraphPtr& graph, CustomPassContext& context) {
  return RunPatterns(
      graph, context, config_.get(), Patterns(),
      [&](const Matches& match) { return MeetRequirements(match, context); },
      [&](const Matches& match) { return Replacement(match, context); });
}

Status DecomposePass::Run(GraphPtr& graph, CustomPassContext& context) {
  return RunOnTypes(
      graph, context, types_, [this](const GNode& node) { return MeetRequirements(node); },
      [this](const GNode& node) { return Replacement(node); });
}

Status DecomposePassV2::Run(GraphPtr& graph, CustomPassContext& context) {
  return RunOnTypes(
      graph, context, types_, [&](const GNode& node) { return MeetRequirements(node, context); },
      [&](const GNode& node) { return Replacement(node, context); });
}

PassRegistrar::PassRegistrar(FusionPassRegistrationData& data) {
  PassRegistrationData pass(data.GetPassName().GetString());
  const CreateFusionPassFn create = data.GetCreatePassFn();
  if (create != nullptr) {
    // Made for each conversion anew; nested graphs are its caller's affair, so each has its turn.
    pass.CustomPassFn([create](GraphPtr& graph, CustomPassContext& context) -> Status {
      const std::unique_ptr<FusionBasePass> made(create());
      if (made == nullptr) {
        context.SetErrorMessage("the pass could not be made");
        return FAILED;
      }
      std::vector<GraphPtr> graphs = graph->GetAllSubgraphs();
      graphs.insert(graphs.begin(), graph);
      Status result = NOT_CHANGED;
      for (GraphPtr& each : graphs) {
        if (!each->IsValid()) continue;  // a replacement of an outer graph took it away
        const Status status = made->Run(each, context);
        if (status != SUCCESS && status != NOT_CHANGED) return status;
        if (status == SUCCESS) result = SUCCESS;
      }
      return result;
    });
  }
  // A change of the graph has no place among stream passes: GE ignores such a registration, the report here names it.
  pass.Stage(data.GetStage());
  const PassReceiver receiver(pass);
}

}  // namespace fusion
}  // namespace ge
