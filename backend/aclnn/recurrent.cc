// Recurrent networks.
#include <span>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

// Gates lie as input, forget, cell, output; the kernel takes input, output, forget, cell.
Value Reorder(Builder& b, Value stacked) {
  const int64_t size = b.ShapeOf(stacked)[0] / 4;
  const auto parts = b.Ops("SplitV", {stacked, b.ConstInts({size, size, size, size}), b.Const(atc::Tensor::Scalar(int64_t{0}))}, {{"num_split", 4}}, 4);
  return b.Op("ConcatD", {parts[0], parts[3], parts[1], parts[2]}, {{"concat_dim", 0}, {"N", 4}});
}

Value Pack(Builder& b, const std::vector<Value>& values) {
  return b.Op("Pack", values, {{"axis", 0}, {"N", static_cast<int64_t>(values.size())}});
}

Value Rows(Builder& b, Value x, int64_t begin, int64_t end) {
  return b.Op("StridedSliceV2", {x, b.ConstInts({begin}), b.ConstInts({end}), b.ConstInts({0}), b.ConstInts({1})});
}

Value Transpose(Builder& b, Value x, const Ints& perm) { return b.Op("Transpose", {x, b.ConstInts(perm)}); }

// What the gates of one direction held at each step, [steps, batch, hidden]: wanted by the gradient.
struct Gates {
  Value input, cell, forget, output, states, cells, bent_cells;  // bent: their tanh
};

// From the states that the kernel gave: those before each step tell the gates, these the cells, step by step.
Gates GatesOf(Builder& b, Value x, Value states, Value h0, Value c0, std::span<const Value> params, bool backward) {
  const Shape& shape = b.ShapeOf(states);
  const int64_t steps = shape[0];
  const int64_t hidden = shape[2];
  const Value others = backward ? Rows(b, states, 1, steps) : Rows(b, states, 0, steps - 1);
  const std::vector<Value> order = backward ? std::vector<Value>{others, h0} : std::vector<Value>{h0, others};
  const Value before = b.Op("ConcatD", order, {{"concat_dim", 0}, {"N", 2}});
  const auto times = [&](Value left, Value weights) { return b.Op("BatchMatMulV2", {left, Transpose(b, weights, {1, 0})}); };
  Value sums = b.Op("Add", {times(x, params[0]), times(before, params[1])});
  if (params.size() == 4) sums = b.Op("Add", {b.Op("Add", {sums, params[2]}), params[3]});
  const auto parts = b.Ops("SplitV", {sums, b.ConstInts({hidden, hidden, hidden, hidden}), b.Const(atc::Tensor::Scalar(int64_t{2}))}, {{"num_split", 4}}, 4);
  Gates gates;
  gates.input = b.Op("Sigmoid", {parts[0]});
  gates.forget = b.Op("Sigmoid", {parts[1]});
  gates.cell = b.Op("Tanh", {parts[2]});
  gates.output = b.Op("Sigmoid", {parts[3]});
  gates.states = states;
  const Value added = b.Op("Mul", {gates.input, gates.cell});
  std::vector<Value> cells(steps);
  Value cell = c0;
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = backward ? steps - 1 - i : i;
    cell = b.Op("Add", {b.Op("Mul", {Rows(b, gates.forget, t, t + 1), cell}), Rows(b, added, t, t + 1)});
    cells[t] = cell;
  }
  gates.cells = b.Op("ConcatD", cells, {{"concat_dim", 0}, {"N", steps}});
  gates.bent_cells = b.Op("Tanh", {gates.cells});
  return gates;
}

void GiveGates(Builder& b, const std::vector<Gates>& all) {
  constexpr struct {
    const char* name;
    Value Gates::* member;
  } kLists[] = {{"iOut", &Gates::input}, {"jOut", &Gates::cell}, {"fOut", &Gates::forget}, {"oOut", &Gates::output},
                {"hOut", &Gates::states}, {"cOut", &Gates::cells}, {"tanhCOut", &Gates::bent_cells}};
  for (const auto& list : kLists) {
    if (!b.Has(list.name)) b.Refuse("argument " + std::string(list.name) + " is NULL; training needs it", ACLNN_ERR_PARAM_NULLPTR);
    std::vector<Value> values;
    for (const Gates& gates : all) values.push_back(gates.*list.member);
    b.OutList(list.name, values);
  }
}

// Of each layer and direction: weights of the input and of the state, then their biases.
void Lstm(Builder& b) {
  if (b.Has("batchSizes")) b.Refuse("packed sequences (argument batchSizes) are not offered");
  Value x = b.Wide("input");
  if (b.Rank(x) != 3) b.Refuse("argument input must have 3 dims");
  if (b.Flag("batchFirst")) x = Transpose(b, x, {1, 0, 2});
  const int64_t directions = b.Flag("bidirectional") ? 2 : 1;
  const int64_t layers = b.Int("numLayers");
  std::vector<Value> params = b.List("params");
  const size_t each = b.Flag("hasBias") ? 4 : 2;
  if (layers < 1 || params.size() != each * static_cast<size_t>(layers * directions)) {
    b.Refuse("argument params has " + std::to_string(params.size()) + " tensors; " + std::to_string(each) + " for each layer and direction are wanted");
  }
  const std::vector<Value> states = b.List("hx");
  if (states.size() != 2 && b.Has("hx")) b.Refuse("argument hx holds the states h and c");
  for (Value& param : params) param = b.Cast(b.Widen(param), b.TypeOf(x));
  const int64_t hidden = b.ShapeOf(params[1]).rank() == 2 ? b.ShapeOf(params[1])[1] : 0;
  if (b.ShapeOf(x)[0] == 0 && b.Flag("train")) b.Refuse("argument input has no step to train with");
  const Value zeros = b.Expand(b.Number(0, b.TypeOf(x)), Shape{layers * directions, b.ShapeOf(x)[1], hidden});
  std::vector<Gates> gates;
  std::vector<Value> last_h;
  std::vector<Value> last_c;
  for (int64_t layer = 0; layer < layers; ++layer) {
    std::vector<Value> w, r, bias;
    for (int64_t d = 0; d < directions; ++d) {
      const size_t at = static_cast<size_t>(layer * directions + d) * each;
      w.push_back(Reorder(b, params[at]));
      r.push_back(Reorder(b, params[at + 1]));
      if (each == 4) bias.push_back(b.Op("ConcatD", {Reorder(b, params[at + 2]), Reorder(b, params[at + 3])}, {{"concat_dim", 0}, {"N", 2}}));
    }
    const auto state = [&](size_t which) {
      const Value all = states.empty() ? zeros : b.Cast(b.Widen(states[which]), b.TypeOf(x));
      return Rows(b, all, layer * directions, (layer + 1) * directions);
    };
    const auto out = b.Ops("onnx::LSTM", {x, Pack(b, w), Pack(b, r), bias.empty() ? Value{} : Pack(b, bias), {}, state(0), state(1)},
                           {{"hidden_size", hidden}, {"direction", directions == 2 ? "bidirectional" : "forward"}, {"opset", 14}}, 3);
    const Shape y = b.ShapeOf(out[0]);
    for (int64_t d = 0; d < directions && b.Flag("train"); ++d) {
      const Value of_direction = b.Op("StridedSliceV2", {out[0], b.ConstInts({d}), b.ConstInts({d + 1}), b.ConstInts({1}), b.ConstInts({1})});
      const std::span<const Value> own(params.data() + static_cast<size_t>(layer * directions + d) * each, each);
      gates.push_back(GatesOf(b, x, b.Reshape(of_direction, {y[0], y[2], hidden}), Rows(b, state(0), d, d + 1), Rows(b, state(1), d, d + 1), own, d == 1));
    }
    x = b.Reshape(Transpose(b, out[0], {0, 2, 1, 3}), {y[0], y[2], directions * hidden});
    last_h.push_back(out[1]);
    last_c.push_back(out[2]);
  }
  const auto join = [&](const std::vector<Value>& parts) {
    return parts.size() == 1 ? parts[0] : b.Op("ConcatD", parts, {{"concat_dim", 0}, {"N", static_cast<int64_t>(parts.size())}});
  };
  b.Out("output", b.Flag("batchFirst") ? Transpose(b, x, {1, 0, 2}) : x);
  b.Out("hy", join(last_h));
  b.Out("cy", join(last_c));
  if (b.Flag("train")) GiveGates(b, gates);
}

}  // namespace

std::vector<Recipe> RecurrentRecipes() { return {{"LSTM", Lstm}}; }

}  // namespace atc::aclnn
