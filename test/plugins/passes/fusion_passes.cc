// Passes that are classes, written as for a CANN toolkit: a pattern with a captured tensor and requirements, a pattern of
// constants and attributes, an operator that is decomposed, and a replacement made by hand. The model is that of
// plugins_test.cc: x -> a, b (softmax) -> sum (Add).
#include "all_ops.h"
#include "es_all_ops.h"
#include "ge/fusion/graph_fuse_inspector_utils.h"
#include "ge/fusion/graph_rewriter.h"
#include "ge/fusion/infer_shape_util.h"
#include "ge/fusion/pass/decompose_pass.h"
#include "ge/fusion/pass/pattern_fusion_pass.h"
#include "ge/ge_utils.h"
#include "graph/graph_buffer.h"

using namespace ge;
using namespace fusion;

// Add(a, b) -> GEMM-free arithmetic that is the same: Sub(a, Neg(b)), where a is the softmax over axis 0.
class AddToSub : public PatternFusionPass {
 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    auto builder = es::EsGraphBuilder("add");
    auto [a, b] = builder.CreateInputs<2>();
    auto left = es::SoftmaxV2(a);
    auto sum = es::Add(left, b);
    auto graph = builder.BuildAndReset({sum});
    auto pattern = std::make_unique<Pattern>(std::move(*graph));
    pattern->CaptureTensor({*left.GetProducer(), 0}).CaptureTensor({*b.GetProducer(), 0});
    std::vector<PatternUniqPtr> patterns;
    patterns.push_back(std::move(pattern));
    return patterns;
  }
  bool MeetRequirements(const std::unique_ptr<MatchResult>& match) override {
    NodeIo left;
    NodeIo right;
    if (match->GetCapturedTensor(0, left) != SUCCESS || match->GetCapturedTensor(1, right) != SUCCESS) return false;
    if (match->GetCapturedTensor(2, right) == SUCCESS || match->GetMatchedNodes().size() != 2) return false;
    AscendString name;
    std::vector<int64_t> axes;
    return left.node.GetName(name) == GRAPH_SUCCESS && name == "a" &&
           left.node.GetAttr("axes", axes) == GRAPH_SUCCESS && axes == std::vector<int64_t>{0};
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult>& match) override {
    auto builder = es::EsGraphBuilder("replacement");
    auto [a, b] = builder.CreateInputs<2>();
    auto graph = builder.BuildAndReset({es::Sub(es::SoftmaxV2(a, {0}), es::Neg(b))});
    if (InferShapeUtil::InferShape(*graph, *match) != SUCCESS) return nullptr;
    for (const GNode& node : graph->GetDirectNode()) {
      AscendString type;
      TensorDesc desc;
      node.GetType(type);
      if (type != "Sub") continue;
      if (node.GetOutputDesc(0, desc) != GRAPH_SUCCESS) return nullptr;
      if (desc.GetShape().GetDims() != std::vector<int64_t>{8, 8}) return nullptr;
    }
    return graph;
  }
};
REG_FUSION_PASS(AddToSub).Stage(CustomPassStage::kAfterInferShape);

// The softmax over axis 1 alone, by its attribute: -> Muls(., 2), then by hand out again.
class SoftmaxOfAxis1 : public PatternFusionPassV2 {
 public:
  SoftmaxOfAxis1() : PatternFusionPassV2(PatternMatcherConfigBuilder().EnableIrAttrMatch().Build()) {}

 protected:
  std::vector<PatternUniqPtr> Patterns() override {
    auto builder = es::EsGraphBuilder("axis1");
    auto x = builder.CreateInput(0);
    std::vector<PatternUniqPtr> patterns;
    patterns.push_back(std::make_unique<Pattern>(std::move(*builder.BuildAndReset({es::SoftmaxV2(x, {1})}))));
    return patterns;
  }
  GraphUniqPtr Replacement(const std::unique_ptr<MatchResult>&, CustomPassContext& context) override {
    if (context.GetPassName() != "SoftmaxOfAxis1") return nullptr;
    auto builder = es::EsGraphBuilder("replacement");
    auto x = builder.CreateInput(0);
    return builder.BuildAndReset({es::Exp(es::LogSoftmaxV2(x, {1}))});
  }
};
REG_FUSION_PASS(SoftmaxOfAxis1).Stage(CustomPassStage::kAfterInferShape);

// Neg(x) -> 0 * x - x by GEMM-like operators that the compiler runs in another form.
class NegByConcat : public DecomposePass {
 public:
  using DecomposePass::DecomposePass;

 protected:
  GraphUniqPtr Replacement(const GNode& node) override {
    bool supported = false;
    AscendString reason;
    if (GeUtils::CheckNodeSupportOnAicore(node, supported, reason) != SUCCESS || !supported) return nullptr;
    auto builder = es::EsGraphBuilder("replacement");
    auto x = builder.CreateInput(0);
    // Joined with itself and cut again: Concat and Slice are such operators.
    auto twice = es::Concat(builder.CreateScalar(int32_t{0}), {x, x}, 2);
    auto first = es::Slice(twice, builder.CreateVector(std::vector<int64_t>{0, 0}),
                           builder.CreateVector(std::vector<int64_t>{8, -1}));
    return builder.BuildAndReset({es::Sub(es::Mul(first, 0.0f), first)});
  }
};
REG_DECOMPOSE_PASS(NegByConcat, {"Neg"}).Stage(CustomPassStage::kAfterBuiltinFusionPass);

// What must be refused is; anything else is an error of its own number.
class Refusals : public FusionBasePass {
 public:
  Status Run(GraphPtr& graph, CustomPassContext&) override {
    AscendString reason;
    GNodePtr a = graph->FindNodeByName("a");
    GNodePtr sum = graph->FindNodeByName("sum");
    GNodePtr b = graph->FindNodeByName("b");
    if (!a || !b || !sum) return 1;
    if (!GraphFuseInspectorUtils::CanFuse({*a, *b, *sum}, reason)) return 2;
    SubgraphBoundary open;  // a is used outside of it
    open.AddOutput(0, SubgraphOutput({*sum, 0}));
    open.AddInput(0, SubgraphInput({{*b, 0}}));
    auto builder = es::EsGraphBuilder("replacement");
    auto graph_of_one = builder.BuildAndReset({es::Abs(builder.CreateInput(0))});
    if (SubgraphRewriter::Replace(open, *graph_of_one) == SUCCESS) return 3;
    if (SubgraphRewriter::Replace(SubgraphBoundary(), *graph_of_one) == SUCCESS) return 4;
    // A graph of linked operators.
    auto data = op::Data("in").set_attr_index(0);
    auto abs = op::Abs("abs").set_input_x(data);
    auto gemm = op::GEMM("gemm");
    if (gemm.GetInputsSize() != 5 || gemm.get_attr_transpose_a()) return 5;
    Graph linked("linked");
    linked.SetInputs({data}).SetOutputs(std::vector<Operator>{abs});
    if (!linked.IsValid() || linked.GetDirectNode().size() != 3 || !linked.FindNodeByName("abs")) return 6;
    Graph copy;
    if (copy.CopyFrom(linked) != GRAPH_SUCCESS || copy.GetDirectNode().size() != 3) return 7;
    GNodePtr gone = copy.FindNodeByName("abs");
    if (copy.RemoveNode(*gone) != GRAPH_SUCCESS || !linked.FindNodeByName("abs")) return 8;
    if (graph->AddSubGraph(linked) != GRAPH_SUCCESS || !graph->GetSubGraph("linked")) return 9;
    if (graph->RemoveSubgraph("linked") != GRAPH_SUCCESS || graph->GetSubGraph("linked")) return 10;
    GraphBuffer saved;
    Graph loaded("loaded");
    if (linked.SaveToMem(saved) != GRAPH_SUCCESS || loaded.LoadFromMem(saved) != GRAPH_SUCCESS) return 11;
    if (!loaded.FindNodeByName("abs")) return 12;
    if (loaded.LoadFromMem(reinterpret_cast<const uint8_t*>("no graph"), 8) == GRAPH_SUCCESS) return 13;
    return GRAPH_NOT_CHANGED;
  }
};
REG_FUSION_PASS(Refusals).Stage(CustomPassStage::kBeforeInferShape);
