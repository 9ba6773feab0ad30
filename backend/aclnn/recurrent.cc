// Recurrent networks.
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

// Of each layer and direction: weights of the input and of the state, then their biases.
void Lstm(Builder& b) {
  if (b.Has("batchSizes")) b.Refuse("packed sequences (argument batchSizes) are not offered");
  if (b.Flag("train")) b.Refuse("what training needs (argument train) is not offered");
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
      if (states.empty()) return Value{};  // zeros
      return b.Cast(b.Widen(Rows(b, states[which], layer * directions, (layer + 1) * directions)), b.TypeOf(x));
    };
    const auto out = b.Ops("onnx::LSTM", {x, Pack(b, w), Pack(b, r), bias.empty() ? Value{} : Pack(b, bias), {}, state(0), state(1)},
                           {{"hidden_size", hidden}, {"direction", directions == 2 ? "bidirectional" : "forward"}, {"opset", 14}}, 3);
    const Shape& y = b.ShapeOf(out[0]);
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
}

}  // namespace

std::vector<Recipe> RecurrentRecipes() { return {{"LSTM", Lstm}}; }

}  // namespace atc::aclnn
