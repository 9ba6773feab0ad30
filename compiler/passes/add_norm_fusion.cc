#include "compiler/passes/add_norm_fusion.h"

#include <algorithm>
#include <string>

#include "compiler/passes/elementwise_fusion.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

constexpr size_t kNoPort = SIZE_MAX;

// A norm of one tensor. Operand 1 is gamma, operand 2 beta.
struct NormForm {
  const char* type;
  bool centered;     // a layer norm, with beta
  const char* axis;  // attribute of the first axis; nullptr: as many axes as gamma has
  size_t mean;       // its results
  size_t rstd;
};

constexpr NormForm kForms[] = {
    {"LayerNorm", true, "begin_norm_axis", 1, kNoPort},  // result 2 is the variance
    {"LayerNormV3", true, "begin_norm_axis", 1, 2},
    {"RmsNorm", false, nullptr, kNoPort, 1},
    {"onnx::LayerNormalization", true, "axis", 1, 2},
    {"onnx::RMSNormalization", false, "axis", kNoPort, kNoPort},
};

bool IsRead(const Graph& graph, ValueId value) { return !graph.value(value).uses.empty(); }

// The dims that are normalised: those of gamma, which must be just the last of x and known; no rank otherwise.
Shape NormalizedDims(const Graph& graph, const Node& norm, const NormForm& form) {
  const Shape& x = graph.desc(norm.inputs[0]).origin_shape;
  const Shape& gamma = graph.desc(norm.inputs[1]).origin_shape;
  if (!x.IsKnown() || !gamma.IsKnown() || gamma.rank() == 0 || gamma.rank() > x.rank()) return Shape::UnknownRank();
  const auto rank = static_cast<int64_t>(x.rank());
  int64_t axis = form.axis == nullptr ? rank - static_cast<int64_t>(gamma.rank()) : norm.Attr<int64_t>(form.axis);
  axis += axis < 0 ? rank : 0;
  const bool fits = rank - axis == static_cast<int64_t>(gamma.rank()) &&
                    std::equal(gamma.dims().begin(), gamma.dims().end(), x.dims().begin() + axis);
  return fits ? gamma : Shape::UnknownRank();
}

// Whether what others read of the norm beside y is among the results of the fused operator, whose statistics are float.
bool StatisticsFit(const Graph& graph, const Node& norm, const NormForm& form) {
  for (size_t i = 1; i < norm.outputs.size(); ++i) {
    if (!IsRead(graph, norm.outputs[i])) continue;
    if ((i != form.mean && i != form.rstd) || graph.desc(norm.outputs[i]).dtype != DT_FLOAT) return false;
  }
  return true;
}

bool IsOnlyReadBy(const Graph& graph, ValueId value, const Node& reader) {
  const std::vector<Use>& uses = graph.value(value).uses;
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return use.node == reader.id; });
}

struct Addends {
  ValueId x1 = kNoId, x2 = kNoId, bias = kNoId;
};

// The addends of `sum`, those of a first addition among them where that makes three; taken into `match`.
std::optional<Addends> FindAddends(SubgraphMatch& match, const Node& sum, const Shape& normalized, bool bias) {
  const Graph& graph = match.graph();
  const TensorDesc& like = graph.desc(sum.outputs[0]);
  std::vector<ValueId> terms = sum.inputs;
  const auto is_whole = [&](ValueId value) { return graph.desc(value).origin_shape == like.origin_shape; };
  const Node* inner = nullptr;
  for (size_t side = 0; bias && side < 2 && inner == nullptr; ++side) {
    if (!IsOnlyReadBy(graph, sum.inputs[side], sum)) continue;
    inner = match.Take(sum.inputs[side], {"Add"});
    if (inner != nullptr) terms = {inner->inputs[0], inner->inputs[1], sum.inputs[1 - side]};
  }
  for (const ValueId term : terms) {
    if (graph.desc(term).dtype != like.dtype) return std::nullopt;
    const Node& producer = graph.producer(term);
    const bool ends_here = IsOnlyReadBy(graph, term, sum) || (inner != nullptr && IsOnlyReadBy(graph, term, *inner));
    if (ends_here && CanFuseElementwise(graph, producer, graph.desc(term))) return std::nullopt;
  }
  // The addends of the whole shape first, in their order.
  std::stable_sort(terms.begin(), terms.end(), [&](ValueId a, ValueId b) { return is_whole(a) && !is_whole(b); });
  if (!is_whole(terms[0]) || !is_whole(terms[1])) return std::nullopt;
  if (terms.size() == 2) return Addends{terms[0], terms[1]};
  if (!is_whole(terms[2]) && !(graph.desc(terms[2]).origin_shape == normalized)) return std::nullopt;
  return Addends{terms[0], terms[1], terms[2]};
}

bool Fuse(Graph& graph, PassContext& context, const Node& norm, const NormForm& form) {
  SubgraphMatch match(graph, norm);
  const ValueId x = norm.inputs[0];
  const Shape normalized = NormalizedDims(graph, norm, form);
  if (!match.MayGo(norm) || !normalized.HasRank() || !StatisticsFit(graph, norm, form)) return false;
  const TensorDesc like = graph.desc(x);
  const auto is_float = [&](ValueId value) { return IsFloatOrHalf(graph.desc(value).dtype); };
  if (!is_float(x) || graph.desc(norm.outputs[0]).dtype != like.dtype || !is_float(norm.inputs[1])) return false;
  ValueId beta = form.centered && norm.inputs.size() > 2 ? norm.inputs[2] : kNoId;
  if (beta != kNoId && (!is_float(beta) || !(graph.desc(beta).origin_shape == normalized))) return false;
  const Node* sum = match.Take(x, {"Add"});
  if (sum == nullptr) return false;
  const std::optional<Addends> addends = FindAddends(match, *sum, normalized, form.centered);
  if (!addends) return false;
  match.Include(norm.id);
  // Whoever reads the sum may make gamma or beta of it.
  const bool sum_leaves = !IsOnlyReadBy(graph, x, norm);
  const auto is_source = [&](ValueId value) { return value == kNoId || graph.producer(value).Is(kSource); };
  if (sum_leaves && !(is_source(norm.inputs[1]) && is_source(beta))) return false;
  const std::string type = form.centered ? "AddLayerNorm" : "AddRmsNorm";
  if (!match.Allow(context, type)) return false;

  const ValueId y = norm.outputs[0], gamma = norm.inputs[1];
  std::vector<ValueId> inputs = {addends->x1, addends->x2, gamma};
  if (form.centered) {
    if (beta == kNoId) beta = match.Constant(y, "beta", Tensor::Allocate(graph.desc(gamma).dtype, normalized));
    inputs.push_back(beta);
    if (addends->bias != kNoId) inputs.push_back(addends->bias);
  }
  const auto read = [&](size_t port) {
    return port < norm.outputs.size() && IsRead(graph, norm.outputs[port]) ? norm.outputs[port] : kNoId;
  };
  std::vector<ValueId> leaving = {y};
  if (form.centered) leaving.push_back(read(form.mean));
  leaving.push_back(read(form.rstd));
  leaving.push_back(sum_leaves ? x : kNoId);
  while (leaving.back() == kNoId) leaving.pop_back();

  const auto epsilon = norm.Attr<float>("epsilon");
  Shape reduced = like.origin_shape;
  for (size_t d = reduced.rank() - normalized.rank(); d < reduced.rank(); ++d) reduced[d] = 1;
  Node& made = match.Replace(context, type.c_str(), std::move(inputs), leaving);
  for (size_t i = 1; i < leaving.size(); ++i) {
    if (leaving[i] == kNoId) graph.desc(made.outputs[i]) = TensorDesc(DT_FLOAT, reduced);
  }
  made.attrs.Set("epsilon", epsilon);
  if (form.centered) made.attrs.Set("additional_output", AttrValue(sum_leaves));
  return true;
}

bool FuseAll(Graph& graph, PassContext& context, bool centered) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    for (const NormForm& form : kForms) {
      if (form.centered != centered || !(node.type() == form.type)) continue;
      changed |= Fuse(graph, context, node, form);
      break;
    }
  }
  return changed;
}

}  // namespace

bool AddLayerNormFusionPass(Graph& graph, PassContext& context) { return FuseAll(graph, context, true); }

bool AddRmsNormFusionPass(Graph& graph, PassContext& context) { return FuseAll(graph, context, false); }

}  // namespace atc
