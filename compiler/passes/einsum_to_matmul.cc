#include "compiler/passes/einsum_to_matmul.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

constexpr int kMostSteps = 10;  // between a product and the softmax of an attention

bool Has(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

// What each label does: in both operands and the result, summed, of one operand.
struct Product {
  std::string a, b, result;
  std::string batch, summed, left, right;
};

std::optional<Product> ProductOf(const Graph& graph, const Node& node) {
  std::string equation;
  for (const char c : node.Attr<std::string>("equation")) {
    if (c != ' ') equation += c;
  }
  const size_t comma = equation.find(','), arrow = equation.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow || equation.find('.') != std::string::npos) return {};
  Product found{equation.substr(0, comma), equation.substr(comma + 1, arrow - comma - 1), equation.substr(arrow + 2), {}, {}, {}, {}};
  const Shape &a = graph.desc(node.inputs[0]).origin_shape, &b = graph.desc(node.inputs[1]).origin_shape;
  if (!a.HasRank() || !b.HasRank() || a.rank() != found.a.size() || b.rank() != found.b.size()) return {};
  for (const std::string* labels : {&found.a, &found.b, &found.result}) {
    std::string sorted = *labels;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return {};
  }
  for (size_t i = 0; i < found.a.size(); ++i) {
    const char label = found.a[i];
    const size_t at = found.b.find(label);
    if (at == std::string::npos) {
      if (!Has(found.result, label)) return {};
      found.left += label;
    } else {
      if (a[i] != b[at]) return {};  // one of them may be repeated
      if (!Has(found.result, label) && a[i] < 1) return {};
      (Has(found.result, label) ? found.batch : found.summed) += label;
    }
  }
  for (const char label : found.b) {
    if (Has(found.a, label)) continue;
    if (!Has(found.result, label)) return {};
    found.right += label;
  }
  return found.summed.empty() || found.left.empty() || found.right.empty() ? std::nullopt : std::optional(found);
}

// Along elementwise operators and reshapes, down to a softmax or up from one.
bool MeetsSoftmax(const Graph& graph, ValueId value, bool down, int depth = 0) {
  if (value == kNoId || depth > kMostSteps) return false;
  const auto passes = [](const Node& node) { return node.Is(kElementwise) || node.Is(kShapeOnly) || node.type() == "Cast"; };
  if (!down) {
    const Node& node = graph.producer(value);
    if (node.Is(kSource)) return false;
    if (node.type() == "SoftmaxV2") return true;
    return passes(node) && !node.inputs.empty() && MeetsSoftmax(graph, node.inputs[0], down, depth + 1);
  }
  for (const Use& use : graph.value(value).uses) {
    const Node& node = graph.node(use.node);
    if (node.type() == "SoftmaxV2") return true;
    if (passes(node) && node.outputs.size() == 1 && MeetsSoftmax(graph, node.outputs[0], down, depth + 1)) return true;
  }
  return false;
}

class Rewriter {
 public:
  Rewriter(Graph& graph, PassContext& context, const Node& einsum)
      : graph_(graph), context_(context), einsum_(einsum), name_(einsum.name), origin_(einsum.origin) {}

  bool Run() {
    const DataType dtype = graph_.desc(einsum_.outputs[0]).dtype;
    if (!IsFloatOrHalf(dtype) || HasUserDtype(einsum_) || einsum_.inputs.size() != 2) return false;
    const auto product = ProductOf(graph_, einsum_);
    if (!product) return false;
    p_ = *product;
    const Shape &a = ShapeOf(einsum_.inputs[0]), &b = ShapeOf(einsum_.inputs[1]);
    const bool joins = p_.summed.size() > 1 || p_.left.size() > 1 || p_.right.size() > 1;
    // Without labels in common before, the rows of the first operand may have any dims.
    const bool plain = p_.batch.empty() && p_.summed.size() == 1 && p_.right.size() == 1;
    if (joins && !plain && !(a.IsKnown() && b.IsKnown())) return false;
    // The order that needs the fewest transposes: labels in common as the result has them.
    p_.batch = Ordered(p_.batch, p_.result);
    p_.left = Ordered(p_.left, p_.result);
    p_.right = Ordered(p_.right, p_.result);
    p_.summed = graph_.Constant(einsum_.inputs[0]) != nullptr ? Ordered(p_.summed, p_.b) : Ordered(p_.summed, p_.a);
    const bool attention = MeetsSoftmax(graph_, einsum_.outputs[0], true) || MeetsSoftmax(graph_, einsum_.inputs[0], false) ||
                           MeetsSoftmax(graph_, einsum_.inputs[1], false);
    const bool moves_a = !(p_.a == p_.batch + p_.left + p_.summed || (p_.a == p_.batch + p_.summed + p_.left));
    const bool moves_b = !(p_.b == p_.batch + p_.summed + p_.right || (p_.b == p_.batch + p_.right + p_.summed));
    const bool moves_result = p_.result != p_.batch + p_.left + p_.right;
    const auto costs = [&](bool moves, uint32_t input) { return moves && graph_.Constant(einsum_.inputs[input]) == nullptr; };
    if (!attention && (costs(moves_a, 0) || costs(moves_b, 1) || moves_result)) return false;
    if (!context_.journal.Allow("Einsum", {&einsum_})) return false;
    Rewrite();
    return true;
  }

 private:
  const Shape& ShapeOf(ValueId value) const { return graph_.desc(value).origin_shape; }

  static std::string Ordered(const std::string& labels, const std::string& like) {
    std::string ordered;
    for (const char label : like) {
      if (Has(labels, label)) ordered += label;
    }
    return ordered;
  }

  int64_t Size(char label) const {
    const size_t in_a = p_.a.find(label);
    return in_a != std::string::npos ? a_shape_[in_a] : b_shape_[p_.b.find(label)];
  }

  Shape Dims(const std::string& labels) const {
    std::vector<int64_t> dims;
    for (const char label : labels) dims.push_back(Size(label));
    return Shape(dims);
  }

  int64_t Joined(const std::string& labels) const {
    int64_t size = 1;
    for (const char label : labels) size = size < 0 || Size(label) < 0 ? kUnknownDim : size * Size(label);
    return size;
  }

  Node& Made(Node& node, const Shape& shape) {
    node.origin = origin_;
    CopyStreamLabels(einsum_, node);
    node.Because("fusion", "EinsumToMatMulPass: of " + name_);
    graph_.desc(node.outputs[0]) = TensorDesc(graph_.desc(einsum_.outputs[0]).dtype, shape);
    context_.journal.Made(node);
    return node;
  }

  ValueId Transposed(ValueId value, const std::string& from, const std::string& to, const std::string& name) {
    if (from == to) return value;
    std::vector<int64_t> perm;
    for (const char label : to) perm.push_back(static_cast<int64_t>(from.find(label)));
    const ValueId order = graph_.AddConst(name + "_perm", Tensor::Ints(perm), origin_);
    return Made(graph_.Add("Transpose", name, {value, order}, 1), Dims(to)).outputs[0];
  }

  ValueId Reshaped(ValueId value, const Shape& shape, const std::string& name) {
    if (ShapeOf(value) == shape) return value;
    const ValueId target = graph_.AddConst(name + "_shape", Tensor::Ints(shape.dims()), origin_);
    return Made(graph_.Add("Reshape", name, {value, target}, 1), shape).outputs[0];
  }

  // Dims in common, then those of `first` and `second` as one each; as they are where each is one label, or `keeps` says so.
  Shape MatrixShape(const std::string& first, const std::string& second, bool keeps_first) const {
    std::vector<int64_t> dims = Dims(p_.batch).dims();
    if (keeps_first) {
      for (const char label : first) dims.push_back(Size(label));
    } else {
      dims.push_back(Joined(first));
    }
    dims.push_back(Joined(second));
    return Shape(dims);
  }

  void Rewrite() {
    a_shape_ = ShapeOf(einsum_.inputs[0]);
    b_shape_ = ShapeOf(einsum_.inputs[1]);
    const bool keeps = p_.batch.empty();
    const bool turned_a = p_.a == p_.batch + p_.summed + p_.left && !(p_.a == p_.batch + p_.left + p_.summed) && p_.left.size() == 1;
    const bool turned_b = p_.b == p_.batch + p_.right + p_.summed;
    const std::string order_a = turned_a ? p_.a : p_.batch + p_.left + p_.summed;
    const std::string order_b = turned_b ? p_.b : p_.batch + p_.summed + p_.right;
    ValueId a = Transposed(einsum_.inputs[0], p_.a, order_a, name_ + "/first_order");
    ValueId b = Transposed(einsum_.inputs[1], p_.b, order_b, name_ + "/second_order");
    a = Reshaped(a, turned_a ? MatrixShape(p_.summed, p_.left, false) : MatrixShape(p_.left, p_.summed, keeps), name_ + "/first");
    b = Reshaped(b, turned_b ? MatrixShape(p_.right, p_.summed, false) : MatrixShape(p_.summed, p_.right, false), name_ + "/second");
    Node& product = graph_.Add("BatchMatMulV2", name_ + "/product", {a, b}, 1);
    product.attrs.Set("adj_x1", turned_a);
    product.attrs.Set("adj_x2", turned_b);
    ValueId at = Made(product, MatrixShape(p_.left, p_.right, keeps)).outputs[0];
    const std::string order = p_.batch + p_.left + p_.right;
    at = Reshaped(at, Dims(order), name_ + "/parted");
    at = Transposed(at, order, p_.result, name_ + "/order");
    graph_.desc(at) = graph_.desc(einsum_.outputs[0]);
    graph_.ReplaceUses(einsum_.outputs[0], at);
    graph_.Remove(einsum_.id);
    graph_.Rename(graph_.producer(at), name_);
  }

  Graph& graph_;
  PassContext& context_;
  const Node& einsum_;
  const std::string name_;
  const OriginId origin_;
  Product p_;
  Shape a_shape_, b_shape_;
};

}  // namespace

bool EinsumToMatMulPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && node.type() == "Einsum") changed |= Rewriter(graph, context, node).Run();
  }
  return changed;
}

}  // namespace atc
