#include "compiler/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "compiler/clone_gears.h"
#include "compiler/interface_layout.h"
#include "compiler/ir/framework.h"
#include "compiler/ir/gears.h"
#include "compiler/layout/choose_formats.h"
#include "compiler/layout/device_slots.h"
#include "compiler/layout/infer_formats.h"
#include "compiler/ops/inference.h"
#include "compiler/passes/add_norm_fusion.h"
#include "compiler/passes/attention_fusion.h"
#include "compiler/passes/batch_norm_fusion.h"
#include "compiler/passes/bias_fusion.h"
#include "compiler/passes/cast_sink.h"
#include "compiler/passes/channel_shuffle_fusion.h"
#include "compiler/passes/channels_last_norm_fusion.h"
#include "compiler/passes/common_subexpression.h"
#include "compiler/passes/concat_merge.h"
#include "compiler/passes/concat_pad_fusion.h"
#include "compiler/passes/dead_code.h"
#include "compiler/passes/declared_types.h"
#include "compiler/passes/dequantize_folding.h"
#include "compiler/passes/dilated_conv_fusion.h"
#include "compiler/passes/dim1_transpose.h"
#include "compiler/passes/einsum_to_matmul.h"
#include "compiler/passes/elementwise_fusion.h"
#include "compiler/passes/expand_remove.h"
#include "compiler/passes/gelu_fusion.h"
#include "compiler/passes/group_norm_fusion.h"
#include "compiler/passes/hard_swish_fusion.h"
#include "compiler/passes/host_batch_norm.h"
#include "compiler/passes/instance_norm_fusion.h"
#include "compiler/passes/integer_product_fusion.h"
#include "compiler/passes/layer_norm_fusion.h"
#include "compiler/passes/masked_softmax_fusion.h"
#include "compiler/passes/matmul_transpose_fusion.h"
#include "compiler/passes/mish_fusion.h"
#include "compiler/passes/no_effect.h"
#include "compiler/passes/pad_conv_fusion.h"
#include "compiler/passes/pad_fusion.h"
#include "compiler/passes/pad_pool_fusion.h"
#include "compiler/passes/prelu_fusion.h"
#include "compiler/passes/quantize_raising.h"
#include "compiler/passes/quantized_fusion.h"
#include "compiler/passes/reshape_sink.h"
#include "compiler/passes/rms_norm_fusion.h"
#include "compiler/passes/rotary_fusion.h"
#include "compiler/passes/same_input_matmul_fusion.h"
#include "compiler/passes/same_transdata_breadth_fusion.h"
#include "compiler/passes/scale_before_fusion.h"
#include "compiler/passes/scale_fusion.h"
#include "compiler/passes/slice_masks.h"
#include "compiler/passes/slice_merge.h"
#include "compiler/passes/slice_to_split.h"
#include "compiler/passes/softmax_fusion.h"
#include "compiler/passes/space_to_depth_fusion.h"
#include "compiler/passes/split_concat_fusion.h"
#include "compiler/passes/squeeze_sink.h"
#include "compiler/passes/swish_fusion.h"
#include "compiler/passes/switch_transdata_and_cast.h"
#include "compiler/passes/topological_sort.h"
#include "compiler/passes/trans_op_breadth_fusion.h"
#include "compiler/passes/trans_op_symmetry_elimination.h"
#include "compiler/passes/trans_op_without_reshape_fusion.h"
#include "compiler/passes/transpose_sink.h"
#include "compiler/passes/transpose_transdata.h"
#include "compiler/passes/unused_captures.h"
#include "compiler/plan/gear_memory.h"
#include "compiler/plan/memory.h"
#include "compiler/plan/parts.h"
#include "compiler/plugin_host.h"
#include "compiler/precision/choose_dtypes.h"
#include "compiler/precision/mark_precision.h"
#include "compiler/soc/soc.h"
#include "compiler/streams/engines.h"
#include "compiler/streams/event_reuse.h"
#include "compiler/streams/events.h"
#include "compiler/streams/logical_streams.h"
#include "compiler/streams/mixed_streams.h"
#include "compiler/streams/notifies.h"
#include "compiler/streams/physical_split.h"
#include "compiler/streams/stream_activation.h"
#include "compiler/streams/stream_options.h"
#include "compiler/tasks.h"
#include "compiler/user_outputs.h"
#include "plugins/loader/shared_library.h"

namespace atc {
namespace {

// What the stages share.
struct Conversion {
  std::unique_ptr<Graph> graph;
  const CompileOptions& options;
  Diagnostics& diagnostics;
  CompileResult result = {};
  const Soc* soc = nullptr;
  std::vector<DataType> output_types = {};  // by output of the model; DT_UNDEFINED: as computed
  std::vector<std::string> output_names = {};
  bool dynamic = false;  // some shape stays unknown
  EngineTable engines = EngineTable::Default();
  CustomPasses* custom = nullptr;
  FoldLedger folding = {};
  Dumper* dumper = nullptr;
  // Cleared by a stage that has left the graph as it was, and by one whose dump would say nothing.
  bool changed = true;
  bool dump = true;
  std::unique_ptr<Graph> split =
      nullptr;  // the graph with its parts of known shapes as nodes, between two stages; null: it has none

  PassContext context() { return {result.journal, diagnostics, &options.passes, &folding}; }
};

using StageFn = void (*)(Conversion&);

// How often a group of passes is repeated while it still finds something to do.
constexpr int kRounds = 4;

void Nothing(Conversion& c) { c.changed = false; }

// User passes. They may add nodes and leave shapes to inference.
template <PassStage kStage>
void RunCustom(Conversion& c) {
  constexpr bool kInfers = kStage == PassStage::kAfterInferShape || kStage == PassStage::kAfterBuiltinFusionPass;
  constexpr bool kTyped = kStage == PassStage::kAfterOriginGraphOptimize;
  c.dump = false;
  c.changed = c.custom->RunAt(kStage, kTyped) > 0;
  if (!c.changed) return;
  // Dumped as the passes left it, with the types that they chose.
  c.custom->Dump(kStage);
  LowerDeclaredTypes(*c.graph, c.result.journal);
  if (const Node* left = FindDeclaredType(*c.graph)) c.custom->Refuse(kStage, *left);
  if (kInfers) InferShapes(*c.graph);
  if (kTyped) InferUndescribed(*c.graph);
}

// IGNORE_INFER_ERROR: nodes that inference fails at keep unknown shapes, until the run, where they are inferred anew.
void AllowFailures(Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    node.attrs.Set(kMayFailAttr, int64_t{1});
    for (const Subgraph& subgraph : node.subgraphs) AllowFailures(*subgraph.graph);
  }
}

// Tells of them, of each once, and takes the marks away again: a fused node has the name of one that it stands for.
void TellFailures(Graph& graph, Diagnostics& diagnostics, std::set<std::string>* told) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    for (const Subgraph& subgraph : node.subgraphs) TellFailures(*subgraph.graph, diagnostics, told);
    if (node.fused) TellFailures(*node.fused, diagnostics, told);
    if (const auto* error = node.attrs.FindAs<std::string>(kInferErrorAttr); error && told->insert(node.name).second) {
      diagnostics.Warn("W19999", {{"reason", "The shapes of '" + node.name +
                                                 "' are left unknown, as IGNORE_INFER_ERROR "
                                                 "asks: " +
                                                 *error}});
    }
    node.attrs.Erase(kMayFailAttr);
    node.attrs.Erase(kInferErrorAttr);
  }
}

void FindTarget(Conversion& c) {
  CheckTarget(c.options);
  c.soc = &FindSoc(c.options.soc_version);
  c.changed = false;
}

bool IgnoresInferErrors() { return std::getenv("IGNORE_INFER_ERROR") != nullptr; }

void ReadUserOutputs(Conversion& c) {
  if (IgnoresInferErrors()) AllowFailures(*c.graph);
  c.output_types = RequestedOutputTypes(*c.graph, c.options.output_type);
  c.output_names = OutputNames(*c.graph);
  CheckInterface(*c.graph, c.options);
  MarkPrecision(*c.graph, c.options.precision, &c.diagnostics);
}

// The passes of the stages, with the head under which a switch file groups them.
constexpr Pass kPreparePasses[] = {{"NoUseReshapeRemovePass", NoUseReshapeRemovePass},
                                   {"UnchangedTransposeRemovePass", UnchangedTransposeRemovePass},
                                   {"IdentityPass", IdentityPass},
                                   {"CastRemovePass", CastRemovePass},
                                   {"StridedSliceMasksPass", StridedSliceMasksPass, FusionKind::kGraph},
                                   {"EinsumToMatMulPass", EinsumToMatMulPass, FusionKind::kGraph},
                                   {"RemoveNoEffectPass", RemoveNoEffectPass},
                                   {"MergeMovementPass", MergeMovementPass, FusionKind::kGraph},
                                   {"Dim1TransposeToSqueezePass", Dim1TransposeToSqueezePass},
                                   {"TransposeSinkPass", TransposeSinkPass, FusionKind::kGraph},
                                   {"ConcatMergePass", ConcatMergePass, FusionKind::kGraph},
                                   {"ConcatPadFusionPass", ConcatPadFusionPass, FusionKind::kGraph},
                                   {"SplitConcatFusionPass", SplitConcatFusionPass, FusionKind::kGraph},
                                   {"StridedSliceMergePass", StridedSliceMergePass, FusionKind::kGraph},
                                   {"SpaceToDepthFusionPass", SpaceToDepthFusionPass, FusionKind::kGraph},
                                   {"StridedSliceDToSplitPass", StridedSliceDToSplitPass, FusionKind::kGraph},
                                   {"UnusedArgsCleanPass", UnusedArgsCleanPass, FusionKind::kNone, OoLevel::kO1},
                                   {"PrunePass", PrunePass},
                                   {"UnusedConstPass", UnusedConstPass}};
// 8-bit operators come first: they are known by the DequantizeLinear of their constants.
constexpr Pass kRaiseQuantizePasses[] = {{"BiasaddFusionPass", BiasaddFusionPass, FusionKind::kGraph},
                                         {"RaiseQuantizePass", RaiseQuantizePass, FusionKind::kGraph},
                                         {"CancelQuantizePass", CancelQuantizePass, FusionKind::kGraph},
                                         {"ConstantFuseSamePass", ConstantFuseSamePass},
                                         {"CommonSubexpressionEliminationPass", CommonSubexpressionEliminationPass},
                                         {"PrunePass", PrunePass}};
constexpr Pass kQuantizedFusionPasses[] = {
    {"IntegerProductFusionPass", IntegerProductFusionPass, FusionKind::kGraph},
    {"QuantizedProductFusionPass", QuantizedProductFusionPass, FusionKind::kGraph},
    {"QuantizedPoolingFusionPass", QuantizedPoolingFusionPass, FusionKind::kGraph},
    {"QuantizedSoftmaxFusionPass", QuantizedSoftmaxFusionPass, FusionKind::kGraph},
    {"QuantizedElementwiseFusionPass", QuantizedElementwiseFusionPass, FusionKind::kGraph},
    {"FoldDequantizePass", FoldDequantizePass, FusionKind::kGraph},
    {"PrunePass", PrunePass},
    {"UnusedConstPass", UnusedConstPass}};
constexpr Pass kGraphFusionPasses[] = {{"ExpandRemovePass", ExpandRemovePass, FusionKind::kGraph},
                                       {"SqueezeSinkPass", SqueezeSinkPass, FusionKind::kGraph},
                                       {"MatMulTransposeFusionPass", MatMulTransposeFusionPass, FusionKind::kGraph},
                                       {"LayerNormONNXFusionPass", LayerNormFusionPass, FusionKind::kGraph},
                                       {"InstanceNormFusionPass", InstanceNormFusionPass, FusionKind::kGraph},
                                       {"RmsNormFusionPass", RmsNormFusionPass, FusionKind::kGraph},
                                       {"GroupNormFusionPass", GroupNormFusionPass, FusionKind::kGraph},
                                       {"ChannelsLastNormFusionPass", ChannelsLastNormFusionPass, FusionKind::kGraph},
                                       {"SoftmaxFusionPass", SoftmaxFusionPass, FusionKind::kGraph},
                                       {"GeluFusionPass", GeluFusionPass, FusionKind::kGraph},
                                       {"HardSwishFusionPass", HardSwishFusionPass, FusionKind::kGraph},
                                       {"MishFusionPass", MishFusionPass, FusionKind::kGraph},
                                       {"SwishFusionPass", SwishFusionPass, FusionKind::kGraph},
                                       {"PadFusionPass", PadFusionPass, FusionKind::kGraph},
                                       {"PaddConv2dFusionPass", PaddConv2dFusionPass, FusionKind::kGraph},
                                       {"PaddMaxPoolFusionPass", PaddMaxPoolFusionPass, FusionKind::kGraph},
                                       {"PaddAvgPoolFusionPass", PaddAvgPoolFusionPass, FusionKind::kGraph},
                                       {"RotaryPositionEmbeddingFusionPass", RotaryFusionPass, FusionKind::kGraph},
                                       {"ReshapeSinkPass", ReshapeSinkPass, FusionKind::kGraph},
                                       {"ConvBatchnormFusionPass", ConvBatchnormFusionPass, FusionKind::kGraph},
                                       {"DilatedConvFusionPass", DilatedConvFusionPass, FusionKind::kGraph},
                                       {"BiasaddFusionPass", BiasaddFusionPass, FusionKind::kGraph},
                                       {"ConvScaleFusionPass", ConvScaleFusionPass, FusionKind::kGraph},
                                       {"ScaleConvFusionPass", ScaleConvFusionPass, FusionKind::kGraph},
                                       {"HostBNFusionPass", HostBNFusionPass, FusionKind::kGraph},
                                       {"PReluFusionPass", PReluFusionPass, FusionKind::kGraph},
                                       {"ConstantFuseSamePass", ConstantFuseSamePass},
                                       {"CommonSubexpressionEliminationPass", CommonSubexpressionEliminationPass},
                                       {"PrunePass", PrunePass},
                                       {"UnusedConstPass", UnusedConstPass}};
constexpr Pass kUbFusionPasses[] = {{"SameInputMatMulFusionPass", SameInputMatMulFusionPass, FusionKind::kUb},
                                    {"AttentionFusionPass", AttentionFusionPass, FusionKind::kUb},
                                    {"MaskedSoftmaxFusionPass", MaskedSoftmaxFusionPass, FusionKind::kUb},
                                    {"HeavyElementwiseFusionPass", HeavyElementwiseFusionPass, FusionKind::kUb},
                                    // A sum that no product has taken in is the norm's.
                                    {"AddLayerNormFusionPass", AddLayerNormFusionPass, FusionKind::kGraph},
                                    {"AddRmsNormFusionPass", AddRmsNormFusionPass, FusionKind::kGraph},
                                    {"ElementwiseChainFusionPass", ElementwiseChainFusionPass, FusionKind::kUb},
                                    {"ReshapeTransposeFusionPass", ReshapeTransposeFusionPass, FusionKind::kUb},
                                    {"PrunePass", PrunePass},
                                    {"UnusedConstPass", UnusedConstPass}};
// Casts, and TransData, stand on every edge that needs them at first. The graph engine merges them where it inserts
// them, at any level, and once more in the first stage.
constexpr Pass kCastPasses[] = {
    {"TransOpBreadthFusionPass", TransOpBreadthFusionPass, FusionKind::kNone, OoLevel::kO1},
    {"TransOpSymmetryEliminationPass", TransOpSymmetryEliminationPass, FusionKind::kNone, OoLevel::kO1},
    {"TransOpWithoutReshapeFusionPass", TransOpWithoutReshapeFusionPass, FusionKind::kNone, OoLevel::kO1},
    {"CastSinkPass", CastSinkPass, FusionKind::kGraph}};
constexpr Pass kTransDataPasses[] = {
    {"TransOpBreadthFusionPass", TransOpBreadthFusionPass, FusionKind::kNone, OoLevel::kO1},
    {"TransOpSymmetryEliminationPass", TransOpSymmetryEliminationPass, FusionKind::kNone, OoLevel::kO1},
    {"SwitchTransDataAndCastPass", SwitchTransDataAndCastPass}};
constexpr Pass kMergePasses[] = {{"ConstantFuseSamePass", ConstantFuseSamePass},
                                 {"CommonSubexpressionEliminationPass", CommonSubexpressionEliminationPass}};
constexpr Pass kSameTransdataPasses[] = {{"SameTransdataBreadthFusionPass", SameTransdataBreadthFusionPass}};
constexpr Pass kTransOpPasses[] = {
    {"TransOpWithoutReshapeFusionPass", TransOpWithoutReshapeFusionPass, FusionKind::kNone, OoLevel::kO1},
    {"TransOpBreadthFusionPass", TransOpBreadthFusionPass, FusionKind::kNone, OoLevel::kO1}};
constexpr Pass kCleanUpPasses[] = {
    {"CastRemovePass", CastRemovePass},
    {"TransposeTransDataPass", TransposeTransDataPass},
    {"NoUseReshapeRemovePass", NoUseReshapeRemovePass},
    {"TransOpSymmetryEliminationPass", TransOpSymmetryEliminationPass, FusionKind::kNone, OoLevel::kO1},
    {"UnchangedTransposeRemovePass", UnchangedTransposeRemovePass},
    {"RemoveNoEffectPass", RemoveNoEffectPass},
    {"IdentityPass", IdentityPass},
    {"Dim1TransposeToSqueezePass", Dim1TransposeToSqueezePass},
    {"PrunePass", PrunePass},
    {"UnusedConstPass", UnusedConstPass}};
// Part of inference, under names of their own among the passes.
constexpr const char* kInferencePasses[] = {kConstantFolding, kDimensionCompute, kReplaceEmpty, kCondRemove};

void Infer(Conversion& c) {
  const auto on = [&](const char* pass) { return c.options.passes.IsOn(FusionKind::kNone, pass); };
  try {
    InferShapesAndFold(*c.graph, c.result.journal, &c.folding,
                       {on(kConstantFolding), on(kDimensionCompute), on(kReplaceEmpty), on(kCondRemove)});
  } catch (const Error&) {
    c.dumper->Dump("InferShapeBlackBox", *c.graph);  // how far it came
    throw;
  }
}

// Once more after rewriting; what then still stands although all of its operands are constant is told.
void InferAgain(Conversion& c) {
  Infer(c);
  const std::vector<FoldLedger::Left>& left = c.folding.left;
  if (left.empty()) return;
  int64_t bytes = 0;
  for (const FoldLedger::Left& node : left) bytes += node.bytes;
  c.diagnostics.Warn(
      "W19999", {{"reason", fmt::format("Constant folding leaves {} node{} alone, the first '{}' ({}), whose "
                                        "results take {} bytes: a model may grow by {} bytes. They are "
                                        "computed when the model is loaded.",
                                        left.size(), left.size() == 1 ? "" : "s", left[0].node, left[0].type, bytes,
                                        kMaxFoldGrowth)}});
}

template <const auto& kPasses, int kTimes>
void Rewrite(Conversion& c) {
  PassContext context = c.context();
  RunPasses(*c.graph, context, kPasses, kTimes);
}

void FuseQuantized(Conversion& c) {
  Rewrite<kRaiseQuantizePasses, 2 * kRounds>(c);
  Rewrite<kQuantizedFusionPasses, 1>(c);
}

void FuseOriginalGraph(Conversion& c) {
  Rewrite<kGraphFusionPasses, kRounds>(c);
  Rewrite<kUbFusionPasses, 1>(c);
  ForgetStoredBytes(*c.graph);
  const std::vector<FoldLedger::Left>& kept = c.folding.kept;
  if (kept.empty()) return;
  c.diagnostics.Warn("W19999",
                     {{"reason", fmt::format("Fusion leaves {} node{} alone, the first '{}' ({}), since that would "
                                             "store {} bytes of constants more, beside those that other nodes "
                                             "read: a model may grow by {} bytes.",
                                             kept.size(), kept.size() == 1 ? "" : "s", kept[0].node, kept[0].type,
                                             kept[0].bytes, kMaxFoldGrowth)}});
}

void CopyForGears(Conversion& c) {
  CloneGears(*c.graph, c.options, c.result.journal);
  c.changed = !GearsOf(*c.graph).empty();
}

void LabelGears(Conversion& c) { c.changed = AddGearLabels(*c.graph); }

void RefinePrecision(Conversion& c) {
  for (Graph* graph : ModelsOf(*c.graph)) {
    ChooseDtypes(*graph, c.options.precision_mode, c.output_types, c.result.journal, c.options.precision);
  }
  DescribeByLargestGear(*c.graph);
}

void AdjustUserInterface(Conversion& c) {
  c.changed = false;
  for (Graph* graph : ModelsOf(*c.graph)) c.changed |= AdjustInterface(*graph, c.options, &c.output_types);
  if (!c.changed) return;
  DescribeByLargestGear(*c.graph);
  InferShapes(*c.graph);
}

void RefineOriginFormats(Conversion& c) {
  c.changed = false;
  for (Graph* graph : ModelsOf(*c.graph)) c.changed |= InferFormats(*graph);
  if (c.changed) DescribeByLargestGear(*c.graph);
}

void RefineFormat(Conversion& c) {
  for (Graph* graph : ModelsOf(*c.graph)) {
    InferFormats(*graph);  // of what passes have made
    ChooseFormats(*graph, c.result.journal, {c.options.small_channels, c.soc->fractal_products});
    SetInterfaceFormats(*graph);
  }
  DescribeByLargestGear(*c.graph);
}

// Passes of this name decide what needs no task; what they need to know is how memory is planned.
constexpr char kJoinWithoutTask[] = "ConcatNotaskPass";
constexpr char kPartWithoutTask[] = "SplitNotaskPass";

void RemoveTasks(Conversion& c) {
  if (c.dynamic) return;
  Journal& journal = c.result.journal;
  for (Graph* graph : ModelsOf(*c.graph)) {
    MarkNoTask(*graph,
               {c.options.passes.IsOn(FusionKind::kNone, kJoinWithoutTask),
                c.options.passes.IsOn(FusionKind::kNone, kPartWithoutTask)},
               [&](const Node& node, bool joins) {
                 journal.EnterPass(joins ? kJoinWithoutTask : kPartWithoutTask);
                 return journal.Allow("no task", {&node});
               });
  }
}

// By type: what ENABLE_NETWORK_ANALYSIS_DEBUG=1 let pass as FrameworkOp, to be seen and dumped so far.
void FindUnknown(const Graph& graph, std::map<std::string, std::pair<int, std::string>>* found) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    for (const Subgraph& subgraph : node.subgraphs) FindUnknown(*subgraph.graph, found);
    if (node.type() != kFrameworkOp) continue;
    auto& [count, first] = (*found)[node.Attr<std::string>(kOriginalTypeAttr)];
    if (count++ == 0) first = node.name;
  }
}

void RefuseUnknown(const Graph& graph) {
  std::map<std::string, std::pair<int, std::string>> found;
  FindUnknown(graph, &found);
  if (found.empty()) return;
  std::string list;
  for (const auto& [type, uses] : found) {
    list += (list.empty() ? "" : ", ") + type + " (" + std::to_string(uses.first) + ", first '" + uses.second + "')";
  }
  throw Error("E13010", {{"opname", found.begin()->second.second}, {"optype", list}});
}

void PlaceEngines(Conversion& c) {
  RefuseUnknown(*c.graph);
  ChooseDeviceSlots(*c.graph);  // after all rewrites, those of the user too
  c.engines = EngineTable::OfProcess();
  StreamOptions options;
  options.parallel_mode = c.options.parallel_mode;
  PlaceOnEngines(*c.graph, c.engines, ParallelModeOf(*c.graph, options).kind == ParallelMode::kCv);
}

// The dump shows the parts as nodes that own graphs. The graph itself stays in one piece, as the device runs it.
void PartitionDynamicShapes(Conversion& c) {
  c.dynamic = HasUnknownShapes(*c.graph);
  c.changed = false;
  if (!c.dynamic) return;
  const auto parts = FindStaticParts(*c.graph, ReadStreamOptions(c.options).least_static_ops);
  if (parts.empty()) return;
  c.split = SplitStaticParts(*c.graph, parts, c.engines);
  c.dump = false;
  c.changed = true;  // as far as files are concerned
  c.dumper->Dump("AfterDynamicShapePartition", *c.split);
}

void SortNodes(Conversion& c) { SortTopologically(*c.graph, c.options.topo_sorting_mode); }

void AssignStreams(Conversion& c) {
  StreamOptions options = ReadStreamOptions(c.options);
  options.unknown_shapes = c.dynamic;
  options.cube_cores = c.soc->cube_cores;
  options.vector_cores = c.soc->vector_cores;
  options.engines = &c.engines;
  if (c.custom->HasStreamPasses()) {
    options.user_passes = [&c](Graph& graph, int32_t streams) { return c.custom->RunStreamPasses(graph, streams); };
  }
  if (options.single_stream) c.custom->SkipStreamPasses("--enable_single_stream=true leaves nothing to assign");
  c.result.model.stream_num = c.split != nullptr && !options.single_stream
                                  ? AssignMixedStreams(*c.graph, *c.split, options)
                                  : AssignLogicalStreams(*c.graph, options);
  c.split.reset();
  ActivateStreams(*c.graph);
  c.custom->RecordStreams();
}

// How much each task reads, writes and needs for itself.
void CalcOpParam(Conversion& c) {
  c.changed = !c.dynamic;
  if (c.dynamic) return;  // known when it runs
  SetTensorSizes(*c.graph);
  for (Graph* graph : ModelsOf(*c.graph)) {
    SetTensorSizes(*graph);
    AskForWorkspaces(*graph, [&](const Node& node) { return EmitsTask(*graph, node); });
  }
}

void AssignMemory(Conversion& c) {
  c.changed = !c.dynamic;
  if (c.dynamic) return;
  const MemoryPlan plan = PlanGearMemory(*c.graph, !c.options.disable_reuse_memory, NoReuseOfProcess());
  c.result.model.memory_size = plan.memory_size;
  c.result.model.zero_copy_memory_size = plan.zero_copy_memory_size;
  c.result.memory_lower_bound = plan.lower_bound;
  c.result.memory_lower_bound_exact = plan.lower_bound_exact;
  c.result.memory_without_reuse = plan.without_reuse;
  c.result.memory_strategy = plan.strategy;
}

void AssignEvents(Conversion& c) {
  const char* rule = std::getenv("ATC_EVENTS");
  const bool ge = rule != nullptr && std::string_view(rule) == "ge";
  const StreamOptions options = ReadStreamOptions(c.options);
  const EventCounts counts = InsertEvents(*c.graph, ge ? EventRule::kGe : EventRule::kReduced);
  if (options.notify && !c.dynamic) c.result.model.attrs.Set("notify_num", NumberNotifies(*c.graph, counts.events));
  const int32_t events = ReuseEvents(*c.graph, counts.events, options.max_events);
  int32_t most_tasks = options.max_stream_tasks;
  const std::vector<Graph*> graphs = ModelsOf(*c.graph);
  const auto needs_huge = [&](const Graph* graph) { return NeedsHugeStream(*graph, most_tasks); };
  if (options.single_stream && std::any_of(graphs.begin(), graphs.end(), needs_huge)) {
    most_tasks = options.max_huge_stream_tasks;
    c.result.model.attrs.Set(kHugeStreams, std::vector<int64_t>{0});
  }
  SplitCounts split{static_cast<int32_t>(c.result.model.stream_num), events};
  for (Graph* graph : graphs) split = SplitStreams(*graph, most_tasks, split);
  c.result.model.stream_num = split.streams;
  c.result.model.event_num = split.events;
  c.result.cross_stream_edges = counts.edges;
  c.result.ge_events = counts.ge;
}

void MakeTasks(Conversion& c) {
  std::set<std::string> told;
  if (IgnoresInferErrors()) TellFailures(*c.graph, c.diagnostics, &told);
  c.result.model.tasks = GenerateTasks(*c.graph);
  c.result.model.dynamic = c.dynamic;
  if (const Gears gears = GearsOf(*c.graph); !gears.empty()) {
    c.result.model.attrs.Set("batch_num", static_cast<int64_t>(gears.gears.size()));
  }
  SetModelAttributes(*c.graph, c.options, std::move(c.output_names), &c.result.model);
}

struct Stage {
  const char* name;  // under which GE dumps it
  StageFn run;
};

// The compiler: GE's steps in GE's order, under the names of their dumps. Steps that the parsers have done (checked
// inputs, NetOutput) or that hold no work of their own are listed where a user looks for their dump; of steps that this
// compiler has no work for at all (summaries, engine partitions, atomic cleaning) there is none. Elementwise chains are
// fused before types are chosen, since a task rounds once, whereas GE fuses them in its kernels.
constexpr Stage kStages[] = {
    {"GraphPreRunBegin", Nothing},
    {"PreRunBegin", Nothing},
    {"RunCustomPassBeforeInfershape", RunCustom<PassStage::kBeforeInferShape>},
    {"PreRunAfterInitPreparation", FindTarget},
    {"PrepareAfterCheckAndUpdateInput", Nothing},
    {"PrepareAfterProcessOutput", ReadUserOutputs},
    {"PreRunAfterNormalizeGraph", CopyForGears},
    {"AfterFirstInferformat", RefineOriginFormats},
    {"AfterInfershape", Infer},
    {"PrepareAfterInferFormatAndShape", Nothing},
    {"RunCustomPass_AfterInferShape", RunCustom<PassStage::kAfterInferShape>},
    {"AfterSecondInferformat", RefineOriginFormats},
    {"PrepareAfterPrepareOptimize", Rewrite<kPreparePasses, kRounds>},
    {"PreRunAfterPrepare", InferAgain},
    {"OptimizeQuantGraph_FeGraphFusionAfter", FuseQuantized},
    {"OptimizeOriginalGraph_FeGraphFusionAfter", FuseOriginalGraph},
    {"RunCustomPassAfterBuiltinFusionPass", RunCustom<PassStage::kAfterBuiltinFusionPass>},
    {"PreRunAfterOptimizeOriginalGraph", Nothing},
    {"PrepareAfterUpdateInputOutputByUserOptions", AdjustUserInterface},
    {"PreRunAfterPrepareRunningFormatRefiner", Nothing},
    {"BeforeOptimizeOriginalGraphJudgeInsert", Nothing},
    {"OptimizeOriginalGraph_FeOpDtypeJudgeAfter", RefinePrecision},
    {"PreRunAfterRefineRunningPrecision", Nothing},
    {"AfterPrecisionRefine", Rewrite<kCastPasses, kRounds>},
    {"PreRunAfterAfterPrecisionRefine", Nothing},
    {"OptimizeOriginalGraph_FeInsertTransNodeAfter", RefineFormat},
    {"PreRunAfterRefineRunningFormat", Rewrite<kTransDataPasses, kRounds>},
    {"before_SameTransdataBreadthFusionPass", Rewrite<kMergePasses, kRounds>},
    {"after_SameTransdataBreadthFusionPass", Rewrite<kSameTransdataPasses, 1>},
    {"OptimizeStage1_1", Rewrite<kTransOpPasses, kRounds>},
    {"OptimizeStage1_2", Rewrite<kCleanUpPasses, kRounds>},
    {"PreRunAfterOptimize1", LabelGears},
    {"PreRunAfterOptimizeAfterStage1", Nothing},
    {"RunCustomPassAfterOriginGraphOptimize", RunCustom<PassStage::kAfterOriginGraphOptimize>},
    {"AfterEnginePlacer", PlaceEngines},
    {"AfterDynamicShapePartition", PartitionDynamicShapes},
    {"PreRunAfterOptimizeSubgraph", Nothing},
    {"PreRunAfterOptimize2", RemoveTasks},
    {"PreRunAfterOptimizeGraphBeforeBuild", Nothing},
    {"PreRunAfterMemConflictProc", SortNodes},
    {"AfterCalcOpParam", CalcOpParam},
    // GE has no dumps of these two.
    {"AfterAssignLogicStreams", AssignStreams},
    {"AfterAssignMemory", AssignMemory},
    {"AfterAssignResource", AssignEvents},
    {"Build", MakeTasks},
    {"PreRunAfterBuild", Nothing},
};

// Hands out what was done however the compilation ends.
struct Handout {
  const CompileResult& result;
  const CompileHooks& hooks;
  ~Handout() {
    if (hooks.journal != nullptr) *hooks.journal = result.journal;
    if (hooks.stage_times != nullptr) *hooks.stage_times = result.stage_times;
  }
};

// Notes how long a stage takes, until it ends or fails.
class Stopwatch {
 public:
  Stopwatch(const char* stage, std::vector<StageTime>* to) : stage_(stage), to_(to) {}
  ~Stopwatch() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    to_->push_back({stage_, took.count()});
  }

 private:
  const char* stage_;
  std::vector<StageTime>* to_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void RunStages(Conversion& c, const CompileHooks& hooks, Dumper& dumper) {
  bool inferred = false;
  bool changed = true;  // since the last call of the dumper
  for (const Stage& stage : kStages) {
    if (c.options.progress) c.options.progress(stage.name);
    c.result.journal.EnterStage(stage.name);
    c.dump = c.changed = true;
    if (HasForeignCode()) dumper.Wait();  // it may end the process: a pass, or an operator that is asked for its shape
    {
      const Stopwatch watch(stage.name, &c.result.stage_times);
      stage.run(c);
    }
    changed |= c.changed;
    inferred |= stage.run == Infer || stage.run == InferAgain;
    if (hooks.verify) c.graph->Verify(inferred);
    if (c.dump) dumper.Dump(stage.name, *c.graph, std::exchange(changed, false));
    if (hooks.after_stage)
      hooks.after_stage(stage.name, stage.run == PartitionDynamicShapes && c.split ? *c.split : *c.graph);
  }
}

}  // namespace

CompileResult Compile(std::unique_ptr<Graph> graph, const CompileOptions& options, Diagnostics* diagnostics,
                      const CompileHooks& hooks) {
  Conversion conversion{std::move(graph), options, *diagnostics};
  conversion.result.journal.set_limit(hooks.rewrite_limit);
  Dumper own_dumper(hooks.dump, diagnostics);
  Dumper& dumper = hooks.dumper == nullptr ? own_dumper : *hooks.dumper;
  PluginReport unread;
  PluginReport& plugins = hooks.plugins == nullptr ? unread : *hooks.plugins;
  CustomPasses custom(*conversion.graph, MakePassHost(options, hooks.dump, &dumper, &conversion.result.journal),
                      &plugins);
  custom.Load(hooks.opp_root);
  conversion.custom = &custom;
  conversion.dumper = &dumper;
  {
    const Handout handout{conversion.result, hooks};
    RunStages(conversion, hooks, dumper);
  }
  conversion.result.model.graph = std::move(conversion.graph);
  return std::move(conversion.result);
}

std::vector<PassInfo> KnownPasses() {
  std::vector<PassInfo> passes;
  for (const char* name : kInferencePasses) passes.push_back({name, FusionKind::kNone, OoLevel::kO1});
  for (const char* name : {kJoinWithoutTask, kPartWithoutTask})
    passes.push_back({name, FusionKind::kNone, OoLevel::kO1});
  const auto add = [&](std::span<const Pass> list) {
    for (const Pass& pass : list) {
      const auto is_pass = [&](const PassInfo& other) { return other.name == pass.name; };
      if (std::none_of(passes.begin(), passes.end(), is_pass)) passes.push_back({pass.name, pass.kind, pass.level});
    }
  };
  add(kPreparePasses);
  add(kRaiseQuantizePasses);
  add(kQuantizedFusionPasses);
  add(kGraphFusionPasses);
  add(kUbFusionPasses);
  add(kCastPasses);
  add(kTransDataPasses);
  add(kMergePasses);
  add(kSameTransdataPasses);
  add(kTransOpPasses);
  add(kCleanUpPasses);
  return passes;
}

void CheckSocVersion(const std::string& soc_version) { FindSoc(soc_version); }

void CheckTarget(const CompileOptions& options, const std::string& flag, const std::string& mode) {
  CheckPrecisionMode(options.precision_mode, options.precision, FindSoc(options.soc_version), flag, mode);
}

std::vector<std::string_view> StageNames() {
  std::vector<std::string_view> names;
  for (const Stage& stage : kStages) names.push_back(stage.name);
  return names;
}

}  // namespace atc
