#include "plugins/sdk/custom_passes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/ir/error.h"
#include "compiler/ir/journal.h"
#include "compiler/streams/engines.h"
#include "plugins/loader/plugin_files.h"
#include "plugins/sdk/handles.h"
#include "plugins/sdk/pass_registry.h"

namespace atc {
namespace {

constexpr std::string_view kFolder = "custom_fusion_passes";
constexpr char kCustomPass[] = "custom pass";  // pattern of a rewrite

// By number.
constexpr const char* kStageNames[] = {"kBeforeInferShape",
                                       "kAfterInferShape",
                                       "kAfterAssignLogicStream",
                                       "kAfterBuiltinFusionPass",
                                       "kAfterOriginGraphOptimize",
                                       "kCompatibleInherited",
                                       "kInvalid"};

// Runs a pass, whose exceptions end here. Returns its code; on an exception a failure with the reason.
template <typename F>
ge::Status Call(F&& pass, std::string* reason) {
  try {
    return pass();
  } catch (const std::exception& error) {
    *reason = std::string("it threw: ") + error.what();
  } catch (...) {
    *reason = "it threw an exception of a type unknown here";
  }
  return ge::FAILED;
}

// Of the graph and those nested in it.
void AddNames(const Graph& graph, std::set<std::string>* names) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    names->insert(node.name);
    for (const Subgraph& nested : node.subgraphs) AddNames(*nested.graph, names);
  }
}

std::set<std::string> Names(const Graph& graph) {
  std::set<std::string> names;
  AddNames(graph, &names);
  return names;
}

int64_t Missing(const std::set<std::string>& from, const std::set<std::string>& names) {
  return std::count_if(from.begin(), from.end(), [&](const std::string& name) { return !names.contains(name); });
}

// The sources of a node, by name and output.
std::vector<std::pair<std::string, uint32_t>> Sources(const Graph& graph, const Node& node) {
  std::vector<std::pair<std::string, uint32_t>> sources;
  for (const ValueId id : node.inputs) {
    if (id == kNoId) {
      sources.emplace_back();
    } else {
      sources.emplace_back(graph.producer(id).name, graph.value(id).index);
    }
  }
  for (const NodeId id : node.control_in) sources.emplace_back(graph.node(id).name, UINT32_MAX);
  return sources;
}

// Nodes of `graph` that `other` lacks or has in another form.
void AddUnlike(const Graph& graph, const Graph& other, std::vector<const Node*>* unlike) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    const Node* twin = other.Find(node.name);
    if (twin == nullptr || !(twin->type() == node.type()) || !Equal(twin->attrs, node.attrs) ||
        Sources(other, *twin) != Sources(graph, node)) {
      unlike->push_back(&node);
    }
    for (size_t i = 0; twin != nullptr && i < std::min(node.subgraphs.size(), twin->subgraphs.size()); ++i) {
      AddUnlike(*node.subgraphs[i].graph, *twin->subgraphs[i].graph, unlike);
    }
  }
}

// What a pass may not change: inputs of the model by name, and the number of outputs.
struct Interface {
  std::vector<std::string> inputs;
  bool has_output = false;
  size_t outputs = 0;

  explicit Interface(const Graph& graph) {
    for (const NodeId id : graph.Inputs()) inputs.push_back(graph.node(id).name);
    const Node* output = graph.NetOutput();
    has_output = output != nullptr;
    if (has_output) outputs = output->inputs.size();
  }
  // Empty where `after` is the same.
  std::string Difference(const Interface& after) const {
    for (const std::string& name : inputs) {
      if (std::find(after.inputs.begin(), after.inputs.end(), name) == after.inputs.end()) {
        return "it removed the model's input '" + name + "'";
      }
    }
    if (after.inputs.size() != inputs.size()) return "it added an input to the model";
    if (has_output && !after.has_output) return "it removed the node that gathers the model's outputs";
    if (outputs != after.outputs) {
      return "the model has " + std::to_string(after.outputs) + " outputs after it, " + std::to_string(outputs) +
             " before";
    }
    return "";
  }
};

// Optional inputs at the end that are not connected are not there.
void DropAbsentInputs(Graph& graph, const std::set<std::string>& old) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive || old.contains(node.name)) continue;
    while (!node.inputs.empty() && node.inputs.back() == kNoId) {
      graph.EraseInput(node, static_cast<uint32_t>(node.inputs.size() - 1));
    }
  }
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (!graph.node(id).alive) continue;
    for (Subgraph& nested : graph.node(id).subgraphs) DropAbsentInputs(*nested.graph, old);
  }
}

// Inputs of repeated ports ("x0", "x1", ... of a concatenation, outputs of the model) that nothing feeds: a graph's
// check knows only of required ports.
void AddOpenInputs(const Graph& graph, std::set<std::pair<std::string, size_t>>* open) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    size_t i = 0;
    while (i < node.def->inputs.size() && node.def->inputs[i].kind != IoKind::kDynamic) ++i;
    for (; i < node.inputs.size() && !node.def->inputs.empty(); ++i) {
      if (node.inputs[i] == kNoId) open->emplace(node.name, i);
    }
    for (const Subgraph& nested : node.subgraphs) AddOpenInputs(*nested.graph, open);
  }
}

std::set<std::pair<std::string, size_t>> OpenInputs(const Graph& graph) {
  std::set<std::pair<std::string, size_t>> open;
  AddOpenInputs(graph, &open);
  return open;
}

// A status as the headers call it, with its number; the number alone where it is the pass's own.
std::string StatusText(ge::Status status) {
  constexpr std::pair<ge::Status, const char*> kNames[] = {
      {ge::SUCCESS, "SUCCESS"},
      {ge::FAILED, "FAILED"},
      {ge::END_OF_SEQUENCE, "END_OF_SEQUENCE"},
      {ge::PARAM_INVALID, "PARAM_INVALID"},
      {ge::GRAPH_PARAM_INVALID, "GRAPH_PARAM_INVALID"},
      {ge::GRAPH_NODE_WITHOUT_CONST_INPUT, "GRAPH_NODE_WITHOUT_CONST_INPUT"},
      {ge::GRAPH_NODE_NEED_REPASS, "GRAPH_NODE_NEED_REPASS"},
      {ge::GRAPH_NOT_CHANGED, "GRAPH_NOT_CHANGED"},
  };
  const std::string number = std::to_string(status);
  for (const auto& [value, name] : kNames) {
    if (value == status) return std::string(name) + " (" + number + ")";
  }
  return number;
}

std::string ReasonOf(const Error& error) {
  for (const auto& [name, value] : error.diagnostic().args) {
    if (name == "reason") return value;
  }
  return error.what();
}

}  // namespace

struct CustomPasses::Pass {
  ge::PassRegistrationData data;
  std::string name;
  size_t file = 0;  // place in the report
  size_t number = 0;
  std::set<std::string> added;  // names of nodes
};

namespace {

// By number of the stage.
constexpr const char* kDumpNames[] = {"RunCustomPassBeforeInfershape", "RunCustomPass_AfterInferShape", "",
                                      "RunCustomPassAfterBuiltinFusionPass", "RunCustomPassAfterOriginGraphOptimize"};

}  // namespace

CustomPasses::CustomPasses(Graph& graph, PassHost host, PluginReport* report)
    : graph_(graph), host_(std::move(host)), report_(report), session_(std::make_shared<ge::Session>()) {
  session_->root = &graph_;
  session_->host = &host_;
  outer_host_ = SetCurrentHost(&host_);
}

CustomPasses::~CustomPasses() {
  session_->root = nullptr;
  session_->host = nullptr;
  SetCurrentHost(outer_host_);
}

PluginReport::Pass& CustomPasses::ReportOf(const Pass& pass) { return report_->files[pass.file].passes[pass.number]; }

void CustomPasses::Fail(Pass& pass, uint32_t code, const std::string& reason) {
  ReportOf(pass).outcome = PluginReport::Outcome::kFailed;
  ReportOf(pass).why = reason;
  Error error("E13028", {{"passname", pass.name}, {"retcode", StatusText(code)}, {"reason", reason}});
  const std::string& path = report_->files[pass.file].path;
  throw std::move(error.At(path.empty() ? "pass of this program" : "plugin " + path));
}

void CustomPasses::Load(const std::string& opp_root) {
  report_->root = opp_root.empty() ? OppRoot() : opp_root;
  const auto add = [&](const std::string& path, const Registrations& registered) {
    const size_t file = report_->files.size();
    report_->files.push_back({path, true, "", {}});
    for (const ge::PassRegistrationData& data : registered) {
      const auto stage = std::min<size_t>(static_cast<size_t>(data.GetStage()), std::size(kStageNames) - 1);
      passes_.push_back({data, data.GetPassName(), file, report_->files[file].passes.size(), {}});
      PluginReport::Pass& reported = report_->files[file].passes.emplace_back();
      reported.name = passes_.back().name;
      reported.stage = kStageNames[stage];
    }
  };
  if (const Registrations own = PassesOfProgram(); !own.empty()) add("", own);
  std::vector<size_t> failed;
  for (const PluginFile& file : FindPlugins(report_->root, kFolder)) {
    Registrations registered;
    std::string why = file.problem;
    if (why.empty() && LoadPasses(file.path, &registered, &why)) {
      add(file.path, registered);
    } else {
      failed.push_back(report_->files.size());
      report_->files.push_back({file.path, false, why, {}});
    }
  }
  if (!failed.empty()) {
    const PluginReport::File& refused = report_->files[failed.front()];
    throw Error("E13029", {{"passlibname", refused.path}, {"reason", refused.why}});
  }
  for (Pass& pass : passes_) {
    const ge::CustomPassStage stage = pass.data.GetStage();
    const bool stream_pass = stage == ge::CustomPassStage::kAfterAssignLogicStream;
    if (stage >= ge::CustomPassStage::kInvalid) {
      ReportOf(pass).outcome = PluginReport::Outcome::kSkipped;
      ReportOf(pass).why = "there is no such stage";
    } else if (stream_pass ? !pass.data.GetCustomAllocateStreamPass() : !pass.data.GetCustomPassFn()) {
      const std::string reason = std::string("it is registered for the stage ") +
                                 kStageNames[static_cast<size_t>(stage)] + " without a " +
                                 (stream_pass ? "CustomAllocateStreamPassFn" : "CustomPassFn");
      ReportOf(pass).outcome = PluginReport::Outcome::kFailed;
      ReportOf(pass).why = reason;
      throw std::move(Error("E13030", {{"passname", pass.name}, {"reason", reason}})
                          .At("plugin " + report_->files[pass.file].path));
    }
  }
}

std::string CustomPasses::Why(const std::string& thrown, const ge::CustomPassContext& context) const {
  if (!thrown.empty()) return thrown;
  std::string said = context.GetErrorMessage().GetString();
  if (said.empty()) said = "it gave no reason";
  return session_->fault.empty() ? said : said + "; the last call that was refused: " + session_->fault;
}

int CustomPasses::RunAt(PassStage stage, bool inferred) {
  int ran = stage == PassStage::kAfterBuiltinFusionPass ? RunAt(PassStage::kCompatibleInherited, inferred) : 0;
  for (Pass& pass : passes_) {
    if (static_cast<int>(pass.data.GetStage()) != static_cast<int>(stage)) continue;
    RunGraphPass(pass, inferred);
    ++ran;
  }
  return ran;
}

void CustomPasses::Dump(PassStage stage) const {
  if (host_.dump) host_.dump(kDumpNames[static_cast<size_t>(stage)], graph_);
}

void CustomPasses::Refuse(PassStage stage, const Node& node) {
  Pass* guilty = nullptr;
  for (Pass& pass : passes_) {
    if (guilty == nullptr || pass.added.contains(node.name)) guilty = &pass;
  }
  Fail(*guilty, ge::SUCCESS,
       "it left node '" + node.name + "' of type " + node.type().str() +
           ", which this compiler does not run; let the pass use operators that it runs, or add a plugin with the operator");
}

void CustomPasses::RunGraphPass(Pass& pass, bool inferred) {
  // To find the rewrite that spoils a model, later ones are left out: also those of users.
  if (host_.journal != nullptr) {
    Journal trial = host_.journal->ForTrial();
    if (!trial.Allow(kCustomPass, {})) return;
    host_.journal->EnterPass(pass.name);
  }
  const int64_t rewrites = host_.journal == nullptr ? 0 : host_.journal->num_optional();
  const std::unique_ptr<Graph> original = graph_.Clone();
  const std::set<std::string> before = Names(graph_);
  const Interface interface(graph_);
  session_->pass = pass.name;
  session_->fault.clear();
  session_->replaced = 0;
  session_->open_inputs.clear();
  ge::CustomPassContext context;
  ge::Access::Bind(context, session_, pass.name);
  ge::GraphPtr handle = ge::Access::WrapPtr(std::make_shared<ge::GraphImpl>(session_));
  const auto open_before = OpenInputs(graph_);
  std::string reason;
  const ge::Status status = Call([&] { return pass.data.GetCustomPassFn()(handle, context); }, &reason);
  // GE's own value for "nothing to do" is no failure.
  if (status != ge::SUCCESS && status != ge::GRAPH_NOT_CHANGED) Fail(pass, status, Why(reason, context));
  DropAbsentInputs(graph_, before);
  try {
    graph_.Verify();  // what it adds may still have to be described
  } catch (const Error& error) {
    Fail(pass, status, "the graph that it left is not valid: " + ReasonOf(error));
  }
  for (const auto& [name, input] : OpenInputs(graph_)) {
    if (open_before.contains({name, input})) continue;
    Fail(pass, status, "the graph that it left is not valid: nothing feeds input " + std::to_string(input) +
                           " of node '" + name + "'");
  }
  const std::string difference = interface.Difference(Interface(graph_));
  if (!difference.empty()) Fail(pass, status, difference);
  const std::set<std::string> after = Names(graph_);
  PluginReport::Pass& report = ReportOf(pass);
  report.outcome = PluginReport::Outcome::kRan;
  report.added = Missing(after, before);
  report.removed = Missing(before, after);
  report.replaced = session_->replaced;
  for (const std::string& name : after) {
    if (!before.contains(name)) pass.added.insert(name);
  }
  // Patterns and decompositions number each of their replacements.
  if (host_.journal != nullptr && host_.journal->num_optional() == rewrites) Note(pass, *original);
}

void CustomPasses::Note(const Pass& pass, const Graph& original) {
  std::vector<const Node*> before, after;
  AddUnlike(original, graph_, &before);
  AddUnlike(graph_, original, &after);
  if (before.empty() && after.empty()) return;
  host_.journal->EnterPass(pass.name);
  if (!host_.journal->Allow(kCustomPass, before)) return;
  for (const Node* node : after) host_.journal->Made(*node);
}

bool CustomPasses::HasStreamPasses() const {
  return std::any_of(passes_.begin(), passes_.end(), [](const Pass& pass) {
    return pass.data.GetStage() == ge::CustomPassStage::kAfterAssignLogicStream;
  });
}

int32_t CustomPasses::RunStreamPasses(Graph& graph, int32_t streams) {
  for (Pass& pass : passes_) {
    if (pass.data.GetStage() == ge::CustomPassStage::kAfterAssignLogicStream) RunStreamPass(pass, graph, &streams);
  }
  return streams;
}

namespace {

// For the time that a stream pass runs: the session is about the graph that holds `graph`, and may not be changed.
class StreamSession {
 public:
  StreamSession(std::shared_ptr<ge::Session> session, Graph& graph) : session_(std::move(session)), root_(session_->root) {
    session_->read_only = true;
    session_->fault.clear();
    session_->root = graph.parent_graph == nullptr ? &graph : graph.parent_graph;
    auto impl = std::make_shared<ge::GraphImpl>(session_);
    if (graph.parent_graph != nullptr) {
      const Node& owner = graph.parent_graph->node(graph.parent_node);
      impl = std::make_shared<ge::GraphImpl>(std::make_shared<ge::NodeImpl>(impl, owner), 0);
    }
    handle_ = ge::Access::WrapPtr(impl);
  }
  ~StreamSession() {
    session_->read_only = false;
    session_->root = root_;
  }
  const ge::ConstGraphPtr& graph() const { return handle_; }

 private:
  const std::shared_ptr<ge::Session> session_;
  Graph* const root_;
  ge::ConstGraphPtr handle_;
};

}  // namespace

void CustomPasses::RunStreamPass(Pass& pass, Graph& graph, int32_t* streams) {
  std::vector<int32_t> before(graph.node_capacity(), -1);
  for (NodeId id = 0; id < before.size(); ++id) before[id] = graph.node(id).stream;
  if (host_.dump) host_.dump("RunCustomPass_BeforeAssignLogicStream" + pass.name, graph);
  session_->pass = pass.name;
  ge::StreamPassContext context(*streams - 1);
  ge::Access::Bind(context, session_, pass.name);
  ge::Access::Bind(context, graph);
  std::string reason;
  ge::Status status = ge::FAILED;
  {
    const StreamSession session(session_, graph);
    status = Call([&] { return pass.data.GetCustomAllocateStreamPass()(session.graph(), context); }, &reason);
  }
  const std::string in = graph.parent_graph == nullptr ? "" : ", in graph " + graph.name;
  if (status != ge::SUCCESS && status != ge::GRAPH_NOT_CHANGED) Fail(pass, status, Why(reason, context) + in);
  const int64_t ids = context.GetCurrMaxStreamId() + 1;
  if (ids > INT32_MAX) Fail(pass, status, "it took " + std::to_string(ids) + " stream ids" + in);
  PluginReport::Run run;
  run.graph = graph.name;
  run.without_task = ge::Access::WithoutTask(context);
  run.streams = ids - *streams;
  for (NodeId id = 0; id < before.size(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    const bool emits = EmitsTask(graph, node);
    if (emits ? node.stream < 0 || node.stream >= ids : node.stream != before[id]) {
      Fail(pass, status,
           "node '" + node.name + "' is on stream " + std::to_string(node.stream) + " of " + std::to_string(ids) +
               " after it" + in);
    }
    if (node.stream == before[id]) continue;
    node.Because("stream", "custom pass " + pass.name + (before[id] < 0 ? "" : ", from stream " + std::to_string(before[id])));
    moved_.push_back(node.name);
    ++run.moved;
  }
  // The events that follow from the streams must keep every dependency.
  const std::string disorder = host_.check_order ? host_.check_order(graph) : "";
  if (!disorder.empty()) Fail(pass, status, "the streams that it left cannot be kept in order: " + disorder + in);
  PluginReport::Pass& report = ReportOf(pass);
  report.outcome = PluginReport::Outcome::kRan;
  report.moved += run.moved;
  report.without_task += run.without_task;
  report.streams += run.streams;
  report.runs.push_back(std::move(run));
  *streams = static_cast<int32_t>(ids);
  if (host_.dump) host_.dump("RunCustomPass_AfterAssignLogicStream" + pass.name, graph);
}

void CustomPasses::SkipStreamPasses(const std::string& why) {
  for (const Pass& pass : passes_) {
    if (pass.data.GetStage() != ge::CustomPassStage::kAfterAssignLogicStream) continue;
    ReportOf(pass).outcome = PluginReport::Outcome::kSkipped;
    ReportOf(pass).why = why;
  }
}

void CustomPasses::RecordStreams() {
  std::set<int32_t> ids;
  for (const std::string& name : moved_) {
    const Node* node = graph_.Find(name);
    if (node != nullptr && node->stream >= 0) ids.insert(node->stream);
  }
  std::string text;
  for (const int32_t id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
  if (!text.empty()) graph_.attrs.Set(kCustomLogicalStreamIds, std::move(text));
}

}  // namespace atc
