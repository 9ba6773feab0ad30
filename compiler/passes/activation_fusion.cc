#include "compiler/passes/activation_fusion.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/half.h"
#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"

namespace atc {
namespace {

// Exporters write constants with seven digits at most.
bool Near(double value, double wanted) { return std::abs(value - wanted) <= 1e-5 * std::abs(wanted); }

std::optional<double> ScalarOf(const Graph& graph, ValueId value) {
  const Tensor* constant = value == kNoId ? nullptr : graph.Constant(value);
  if (constant == nullptr || constant->NumElements() != 1) return std::nullopt;
  const Tensor held = constant->Materialized();
  if (held.dtype() == DT_FLOAT) return *held.Data<float>();
  if (held.dtype() == DT_FLOAT16) return HalfToFloat(*held.Data<uint16_t>());
  if (held.dtype() == DT_BF16) return BFloat16ToFloat(*held.Data<uint16_t>());
  return std::nullopt;
}

bool Is(const Node& node, const char* type) { return node.type() == type; }
bool IsDivision(const Node& node) { return Is(node, "RealDiv") || Is(node, "onnx::Div"); }

// A product of some values and one constant.
struct Product {
  double scale = 1;
  std::vector<ValueId> factors;
  std::vector<NodeId> nodes;  // that multiply, the last one first
};

class Matcher {
 public:
  Matcher(Graph& graph, PassContext& context, Node& root) : graph_(graph), context_(context), root_(root) {}

  bool Run() {
    if (!Multiplies(root_) || IsPartOfProduct()) return false;
    Multiply(root_, 0);
    if (product_.factors.size() != 2) return false;
    for (int side = 0; side < 2; ++side) {
      x_ = product_.factors[side];
      members_ = product_.nodes;
      const ValueId gate = product_.factors[1 - side];
      if (!FloatOfSameShape(x_) || gate == x_) continue;
      if (HardGate(gate)) return Replace("HardSwish");
      if (Sigmoid(gate)) return Replace("Swish");
      if (ErfGate(gate)) return Replace("GeluV2");
    }
    return false;
  }

 private:
  // By a constant or another value, all of one shape or one element.
  bool Multiplies(const Node& node) const {
    if (!Is(node, "Mul") && !(IsDivision(node) && ScalarOf(graph_, node.inputs[1]).value_or(0) != 0)) return false;
    return !node.fused && node.control_in.empty() && node.control_out.empty() && !HasUserDtype(node) &&
           StreamLabelOf(node) == StreamLabelOf(root_);
  }

  bool UsedOnce(ValueId value) const { return graph_.value(value).uses.size() == 1; }

  bool IsPartOfProduct() const {
    const std::vector<Use>& uses = graph_.value(root_.outputs[0]).uses;
    return uses.size() == 1 && Multiplies(graph_.node(uses[0].node)) && graph_.node(uses[0].node).inputs[0] != kNoId &&
           !(IsDivision(graph_.node(uses[0].node)) && uses[0].input == 1);
  }

  void Multiply(const Node& node, int depth) {
    product_.nodes.push_back(node.id);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (const std::optional<double> value = ScalarOf(graph_, input)) {
        product_.scale *= IsDivision(node) ? 1 / *value : *value;
        continue;
      }
      const Node& producer = graph_.producer(input);
      if (depth < 4 && UsedOnce(input) && Multiplies(producer)) {
        Multiply(producer, depth + 1);
      } else {
        product_.factors.push_back(input);
      }
    }
  }

  bool FloatOfSameShape(ValueId value) const {
    const TensorDesc& desc = graph_.desc(value);
    const TensorDesc& out = graph_.desc(root_.outputs[0]);
    return (desc.dtype == DT_FLOAT || IsHalf(desc.dtype)) && desc.dtype == out.dtype && desc.origin_shape == out.origin_shape;
  }

  // The producer of `value` if it is of `type`, feeds nothing else and may go.
  const Node* Inner(ValueId value, const char* type) {
    const Node& node = graph_.producer(value);
    if (!Is(node, type) || node.fused || !UsedOnce(value) || !node.control_in.empty() || !node.control_out.empty() ||
        HasUserDtype(node) || StreamLabelOf(node) != StreamLabelOf(root_)) {
      return nullptr;
    }
    members_.push_back(node.id);
    return &node;
  }

  // x + `addend`
  bool Shifted(ValueId value, ValueId x, double addend) {
    if (const Node* adds = Inner(value, "Adds")) return adds->inputs[0] == x && Near(adds->Attr<float>("value"), addend);
    const Node* add = Inner(value, "Add");
    if (add == nullptr) return false;
    for (int side = 0; side < 2; ++side) {
      if (add->inputs[side] == x && Near(ScalarOf(graph_, add->inputs[1 - side]).value_or(0), addend)) return true;
    }
    return false;
  }

  bool HardGate(ValueId gate) {
    rest_ = product_.scale;
    if (const Node* hard = Inner(gate, "HardSigmoid")) {
      return hard->inputs[0] == x_ && Near(hard->Attr<float>("alpha"), 1.0 / 6) && hard->Attr<float>("beta") == 0.5f;
    }
    rest_ = product_.scale * 6;
    if (const Node* relu6 = Inner(gate, "Relu6")) return Shifted(relu6->inputs[0], x_, 3);
    const Node* clip = Inner(gate, "ClipByValue");
    if (clip == nullptr || ScalarOf(graph_, clip->inputs[1]) != 0.0) return false;
    return ScalarOf(graph_, clip->inputs[2]) == 6.0 && Shifted(clip->inputs[0], x_, 3);
  }

  bool Sigmoid(ValueId gate) {
    rest_ = product_.scale;
    const Node* sigmoid = Inner(gate, "Sigmoid");
    return sigmoid != nullptr && sigmoid->inputs[0] == x_;
  }

  // 1 + erf(x / sqrt(2))
  bool ErfGate(ValueId gate) {
    rest_ = product_.scale * 2;
    const Node* add = Inner(gate, "Add");
    if (add == nullptr) return false;
    for (int side = 0; side < 2; ++side) {
      if (ScalarOf(graph_, add->inputs[1 - side]) != 1.0) continue;
      const Node* erf = Inner(add->inputs[side], "Erf");
      if (erf == nullptr) return false;
      const Node& scaled = graph_.producer(erf->inputs[0]);
      if (!Multiplies(scaled) || !UsedOnce(erf->inputs[0])) return false;
      members_.push_back(scaled.id);
      for (size_t at = 0; at < 2; ++at) {
        const double factor = ScalarOf(graph_, scaled.inputs[1 - at]).value_or(0);
        if (scaled.inputs[at] == x_ && Near(IsDivision(scaled) ? 1 / factor : factor, std::sqrt(0.5))) return true;
      }
    }
    return false;
  }

  bool Replace(const char* type) {
    std::vector<const Node*> before;
    for (const NodeId id : members_) before.push_back(&graph_.node(id));
    if (!context_.journal.Allow(type, before)) return false;
    OriginId origin = root_.origin;
    std::string names;
    for (const Node* node : before) {
      origin = graph_.origins().Union(origin, node->origin);
      names += (names.empty() ? "" : ", ") + node->name;
    }
    const TensorDesc desc = graph_.desc(root_.outputs[0]);
    const ValueId old = root_.outputs[0];
    const std::string name = root_.name;
    Node& made = Add(type, Near(rest_, 1) ? name : name + "/activation", {x_}, origin, names, desc);
    ValueId result = made.outputs[0];
    if (!Near(rest_, 1)) {
      const auto scale = static_cast<float>(rest_);
      Tensor value = Tensor::Allocate(DT_FLOAT, Shape(std::vector<int64_t>{}));
      std::memcpy(value.MutableData<std::byte>(), &scale, sizeof scale);
      if (desc.dtype != DT_FLOAT) value = NarrowScalar(scale, desc.dtype);
      const ValueId factor = graph_.AddConst(name + "/scale", std::move(value), origin);
      result = Add("Mul", name, {result, factor}, origin, names, desc).outputs[0];
    }
    graph_.ReplaceUses(old, result);
    for (const NodeId id : members_) {
      bool used = false;
      for (const ValueId output : graph_.node(id).outputs) used |= !graph_.value(output).uses.empty();
      if (!used) graph_.Remove(id);
    }
    return true;
  }

  static Tensor NarrowScalar(float value, DataType dtype) {
    Tensor tensor = Tensor::Allocate(dtype, Shape(std::vector<int64_t>{}));
    *tensor.MutableData<uint16_t>() = dtype == DT_FLOAT16 ? FloatToHalf(value) : FloatToBFloat16(value);
    return tensor;
  }

  Node& Add(const char* type, const std::string& name, std::vector<ValueId> inputs, OriginId origin,
            const std::string& names, const TensorDesc& desc) {
    Node& node = graph_.Add(type, name, std::move(inputs), 1);
    node.origin = origin;
    CopyStreamLabels(graph_.node(root_.id), node);
    graph_.desc(node.outputs[0]) = desc;
    node.Because("fusion", "ActivationFusionPass: took in " + names);
    context_.journal.Made(node);
    return node;
  }

  Graph& graph_;
  PassContext& context_;
  Node& root_;
  Product product_;
  ValueId x_ = kNoId;
  double rest_ = 1;  // factor that the activation does not hold
  std::vector<NodeId> members_;
};

}  // namespace

bool ActivationFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && (Is(node, "Mul") || IsDivision(node)) && node.inputs.size() == 2 && node.outputs.size() == 1) {
      changed |= Matcher(graph, context, node).Run();
    }
  }
  return changed;
}

}  // namespace atc
