// User passes in one conversion: found, loaded, run at their stages, checked, reported.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"
#include "plugins/loader/report.h"
#include "plugins/sdk/pass_host.h"

namespace ge {
class CustomPassContext;
struct Session;
}  // namespace ge

namespace atc {

// By the numbers of ge::CustomPassStage.
enum class PassStage {
  kBeforeInferShape = 0,
  kAfterInferShape = 1,
  kAfterBuiltinFusionPass = 3,
  kAfterOriginGraphOptimize = 4,
  kCompatibleInherited = 5  // among the passes of the compiler itself: right before kAfterBuiltinFusionPass
};

// The attribute of the graph that lists the streams of nodes which passes moved: "1,3".
inline constexpr const char* kCustomLogicalStreamIds = "_custom_logical_stream_ids";

class CustomPasses {
 public:
  // `graph` and `host` must live as long as this; `report` is filled as things happen, so that it is good after an
  // exception too.
  CustomPasses(Graph& graph, PassHost host, PluginReport* report);
  // Handles that passes have kept are void from then on.
  ~CustomPasses();

  // Finds and loads <opp_root>/vendors/*/custom_fusion_passes/*.so. An empty root stands for ASCEND_OPP_PATH, else for
  // the installation's.
  // Throws Error: E13029 naming the first file that cannot be loaded, E13030 a pass without the function of its stage.
  void Load(const std::string& opp_root);

  // Runs the graph passes of the stage in registration order. Each is followed by a check of the whole graph.
  // Returns how many ran. Throws Error: E13028 naming the pass, its return code and reason.
  // `inferred`: values have a dtype from here on.
  int RunAt(PassStage stage, bool inferred);

  // Dumps the graph under the name of the stage.
  void Dump(PassStage stage) const;
  // For a node of a type that the compiler does not run, after a stage. Throws Error E13028 naming the pass that added it.
  [[noreturn]] void Refuse(PassStage stage, const Node& node);

  bool HasStreamPasses() const;
  // Runs the stream passes in registration order on Node::stream of `graph`, which is the model's, a copy of it with its
  // parts, or a part; ids below `streams` are in use. Returns the number of ids in use afterwards, not all of which need
  // have nodes. Throws Error E13028.
  int32_t RunStreamPasses(Graph& graph, int32_t streams);
  // Notes why they do not run.
  void SkipStreamPasses(const std::string& why);
  // Sets kCustomLogicalStreamIds from the final stream ids of the nodes that passes moved.
  void RecordStreams();

 private:
  struct Pass;

  void RunGraphPass(Pass& pass, bool inferred);
  void RunStreamPass(Pass& pass, Graph& graph, int32_t* streams);
  // Enters what a graph pass did to `original` into the journal, as one optional rewrite.
  void Note(const Pass& pass, const Graph& original);
  // Why a pass failed: what it threw, said, or was refused.
  std::string Why(const std::string& thrown, const ge::CustomPassContext& context) const;
  [[noreturn]] void Fail(Pass& pass, uint32_t code, const std::string& reason);
  PluginReport::Pass& ReportOf(const Pass& pass);

  Graph& graph_;
  const PassHost host_;
  PluginReport* report_;
  const PassHost* outer_host_ = nullptr;  // of a conversion that this one is part of
  std::shared_ptr<ge::Session> session_;
  std::vector<Pass> passes_;
  std::vector<std::string> moved_;  // names of nodes
};

}  // namespace atc
