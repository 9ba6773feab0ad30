#include "compiler/passes/same_input_matmul_fusion.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ops/attention_parts.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

bool IsTransposed(const Node& product, int side) {
  const bool batched = product.type() == "BatchMatMulV2";
  return product.Attr<bool>(side == 0 ? (batched ? "adj_x1" : "transpose_x1") : (batched ? "adj_x2" : "transpose_x2"));
}

bool HasBias(const Node& product) { return product.inputs.size() > 2 && product.inputs[2] != kNoId; }

// A product of a value with a constant matrix and a constant bias or none, of which nobody but `readers` reads.
bool IsProjection(const Graph& graph, const SubgraphMatch& match, const Node& product, const std::vector<NodeId>& readers) {
  if (!(product.type() == "BatchMatMulV2" || product.type() == "MatMulV2") || !match.MayGo(product)) return false;
  const Tensor* weight = graph.ConstantInput(product, 1);
  if (IsTransposed(product, 0) || weight == nullptr || weight->rank() != 2 || !IsFloatOrHalf(weight->dtype())) return false;
  if (HasBias(product)) {
    const Tensor* bias = graph.ConstantInput(product, 2);
    if (bias == nullptr || bias->rank() != 1 || bias->dtype() != weight->dtype()) return false;
  }
  const std::vector<Use>& uses = graph.value(product.outputs[0]).uses;
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    return std::find(readers.begin(), readers.end(), use.node) != readers.end();
  });
}

bool Agree(const Graph& graph, const Node& a, const Node& b) {
  return a.inputs[0] == b.inputs[0] && a.type() == b.type() && IsTransposed(a, 1) == IsTransposed(b, 1) &&
         graph.ConstantInput(a, 1)->dtype() == graph.ConstantInput(b, 1)->dtype();
}

int64_t Width(const Graph& graph, const Node& product) {
  const Shape& shape = graph.desc(product.outputs[0]).origin_shape;
  return shape[shape.rank() - 1];
}

// Matrices [rows, columns] beside each other, all of so many rows.
Tensor Beside(const std::vector<Tensor>& parts, int64_t rows, const Shape& shape) {
  return Tensor::Deferred(parts[0].dtype(), shape, [parts, rows, shape] {
    Tensor all = Tensor::Allocate(parts[0].dtype(), shape);
    const size_t pitch = all.NumBytes() / static_cast<size_t>(rows);
    size_t at = 0;
    for (const Tensor& part : parts) {
      const Tensor held = part.Materialized();
      const size_t bytes = held.NumBytes() / static_cast<size_t>(rows);
      for (int64_t r = 0; r < rows; ++r) {
        std::memcpy(all.MutableData() + static_cast<size_t>(r) * pitch + at, held.Data() + static_cast<size_t>(r) * bytes, bytes);
      }
      at += bytes;
    }
    return all;
  });
}

ValueId JoinedWeights(Graph& graph, const std::vector<const Node*>& products, int64_t width, OriginId origin) {
  std::vector<Tensor> parts;
  for (const Node* product : products) parts.push_back(*graph.ConstantInput(*product, 1));
  const bool transposed = IsTransposed(*products[0], 1);
  const int64_t depth = parts[0].dim(transposed ? 1 : 0);
  // Rows of a transposed matrix are outputs: all of one is followed by all of the next.
  Tensor joined = transposed ? Beside(parts, 1, {width, depth}) : Beside(parts, depth, {depth, width});
  return graph.AddConst(products[0]->name + "_joined_weights", std::move(joined), origin);
}

ValueId JoinedBias(Graph& graph, const std::vector<const Node*>& products, int64_t width, OriginId origin) {
  if (std::none_of(products.begin(), products.end(), [](const Node* product) { return HasBias(*product); })) return kNoId;
  std::vector<Tensor> parts;
  for (const Node* product : products) {
    const DataType dtype = graph.ConstantInput(*product, 1)->dtype();
    parts.push_back(HasBias(*product) ? *graph.ConstantInput(*product, 2) : Tensor::Allocate(dtype, {Width(graph, *product)}));
  }
  return graph.AddConst(products[0]->name + "_joined_bias", Beside(parts, 1, {width}), origin);
}

void Join(Graph& graph, PassContext& context, const std::vector<const Node*>& products) {
  const Node& first = *products[0];
  OriginId origin = first.origin;
  std::vector<int64_t> widths;
  int64_t width = 0;
  std::string names;
  for (const Node* product : products) {
    origin = graph.origins().Union(origin, product->origin);
    widths.push_back(Width(graph, *product));
    width += widths.back();
    names += (names.empty() ? "" : ", ") + product->name;
  }
  TensorDesc desc = graph.desc(first.outputs[0]);
  Shape shape = desc.origin_shape;
  shape[shape.rank() - 1] = width;
  desc.SetShape(shape);
  std::vector<ValueId> inputs = {first.inputs[0], JoinedWeights(graph, products, width, origin)};
  if (const ValueId bias = JoinedBias(graph, products, width, origin); bias != kNoId) inputs.push_back(bias);
  Node& joined = graph.Add(*first.def, first.name + "_joined", std::move(inputs), 1);
  joined.attrs = first.attrs;
  joined.origin = origin;
  CopyStreamLabels(first, joined);
  joined.Because("fusion", "SameInputMatMulFusionPass: joined " + names);
  graph.desc(joined.outputs[0]) = desc;
  const ValueId sizes = graph.AddConst(first.name + "_widths", Tensor::Ints(widths), origin);
  const ValueId axis = graph.AddConst(first.name + "_axis", Tensor::Ints({static_cast<int64_t>(shape.rank()) - 1}), origin);
  Node& split = graph.Add("SplitV", first.name + "_split", {joined.outputs[0], sizes, axis}, products.size());
  split.attrs.Set("num_split", static_cast<int64_t>(products.size()));
  split.origin = origin;
  CopyStreamLabels(first, split);
  split.reasons = joined.reasons;
  context.journal.Made(joined);
  context.journal.Made(split);
  for (size_t i = 0; i < products.size(); ++i) {
    graph.desc(split.outputs[i]) = graph.desc(products[i]->outputs[0]);
    graph.ReplaceUses(products[i]->outputs[0], split.outputs[i]);
    graph.Remove(products[i]->id);
  }
}

bool Fuse(Graph& graph, PassContext& context, const Node& product) {
  SubgraphMatch match(graph, product);
  const auto found = FindAttention(graph, product, [&](const Node& node) { return match.MayGo(node); });
  if (!found || !found->q.view || !found->k.view || !found->v.view) return false;
  std::vector<const Node*> products;
  for (const ValueId base : {found->q.base, found->k.base, found->v.base}) {
    const Node& made = graph.producer(base);
    if (!IsProjection(graph, match, made, found->members)) continue;
    if (std::find(products.begin(), products.end(), &made) == products.end()) products.push_back(&made);
  }
  // Those that agree with the last one: keys and values do where queries come from elsewhere.
  if (!products.empty()) {
    const Node& like = *products.back();
    std::erase_if(products, [&](const Node* other) { return !Agree(graph, *other, like); });
  }
  if (products.size() < 2) return false;
  int64_t growth = 0;  // where weights are used elsewhere too
  for (const Node* one : products) {
    growth += static_cast<int64_t>(graph.ConstantInput(*one, 1)->NumBytes()) - FreedBytes(graph, *one, one->inputs[1]);
  }
  if (!MayGrow(context.folding, *products[0], growth)) return false;
  if (!context.journal.Allow("products of one input", products)) return false;
  EnterGrowth(context.folding, growth);
  Join(graph, context, products);
  return true;
}

}  // namespace

bool SameInputMatMulFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && (node.type() == "BatchMatMulV2" || node.type() == "MatMulV2")) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
