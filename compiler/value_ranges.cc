#include "compiler/value_ranges.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

using Ranges = std::vector<ValueRange>;

ValueRange Hull(const ValueRange& a, const ValueRange& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

ValueRange HullOf(const Ranges& ranges) {
  if (ranges.empty()) return {};
  ValueRange hull = ranges[0];
  for (const ValueRange& range : ranges) hull = Hull(hull, range);
  return hull;
}

// Infinite bounds times zero are zero: the bound is one of finite values.
double Times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

ValueRange Product(const ValueRange& a, const ValueRange& b) {
  const double corners[] = {Times(a.low, b.low), Times(a.low, b.high), Times(a.high, b.low), Times(a.high, b.high)};
  return {*std::min_element(std::begin(corners), std::end(corners)),
          *std::max_element(std::begin(corners), std::end(corners))};
}

ValueRange Sum(const ValueRange& a, const ValueRange& b) { return {a.low + b.low, a.high + b.high}; }

ValueRange Negative(const ValueRange& a) { return {-a.high, -a.low}; }

// What a monotonic function makes of a range.
template <double (*kFunction)(double)>
ValueRange Rising(const ValueRange& a) {
  return {kFunction(a.low), kFunction(a.high)};
}

double Square(double x) { return x * x; }

ValueRange SquareOf(const ValueRange& a) {
  const double high = std::max(Square(a.low), Square(a.high));
  return {a.low <= 0 && a.high >= 0 ? 0 : std::min(Square(a.low), Square(a.high)), high};
}

ValueRange AbsOf(const ValueRange& a) {
  const bool spans = a.low <= 0 && a.high >= 0;
  return {spans ? 0 : std::min(std::abs(a.low), std::abs(a.high)), a.Magnitude()};
}

// Of x * weight(x), where the weight is from 0 to 1 and the product is nowhere below `floor`.
ValueRange Gated(const ValueRange& a, double floor) { return {a.low >= 0 ? 0 : floor, std::max(0.0, a.high)}; }

ValueRange Quotient(const ValueRange& a, const ValueRange& b) {
  if (b.low <= 0 && b.high >= 0) return {};
  return Product(a, {1 / b.high, 1 / b.low});
}

ValueRange LogOf(const ValueRange& a) {
  return {a.low > 0 ? std::log(a.low) : -std::numeric_limits<double>::infinity(), std::log(std::max(0.0, a.high))};
}

double Softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

// x to the power of a number.
ValueRange PowerOf(const ValueRange& a, double exponent) {
  const double ends[] = {std::pow(a.low, exponent), std::pow(a.high, exponent)};
  const bool whole = exponent == std::floor(exponent), even = std::fmod(exponent, 2) == 0;
  const bool spans = a.low <= 0 && a.high >= 0;
  if ((!whole && a.low < 0) || (exponent < 0 && spans)) return {};
  return {spans && whole && even ? 0 : std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
}

using Unary = ValueRange (*)(const ValueRange&);

template <int kLow, int kHigh>
ValueRange Fixed(const ValueRange&) {
  return {kLow, kHigh};
}

const std::map<std::string, Unary>& Unaries() {
  static const std::map<std::string, Unary> kUnaries = {
      {"Abs", AbsOf},
      {"Atan", Rising<std::atan>},
      {"Ceil", Rising<std::ceil>},
      {"Cos", Fixed<-1, 1>},
      {"Erf", Fixed<-1, 1>},
      {"Exp", Rising<std::exp>},
      {"Expm1", Rising<std::expm1>},
      {"Floor", Rising<std::floor>},
      {"Gelu", [](const ValueRange& a) { return Gated(a, -0.2); }},
      {"HardSigmoid", Fixed<0, 1>},
      {"HardSwish", [](const ValueRange& a) { return Gated(a, -0.4); }},
      {"Log", LogOf},
      {"Log1p", [](const ValueRange& a) { return LogOf({a.low + 1, a.high + 1}); }},
      {"LogSoftmaxV2", [](const ValueRange&) { return ValueRange{-std::numeric_limits<double>::infinity(), 0}; }},
      {"Mish", [](const ValueRange& a) { return Gated(a, -0.4); }},
      {"Neg", Negative},
      {"Reciprocal", [](const ValueRange& a) { return Quotient({1, 1}, a); }},
      {"Relu", [](const ValueRange& a) { return ValueRange{std::max(0.0, a.low), std::max(0.0, a.high)}; }},
      {"Relu6", Fixed<0, 6>},
      {"Rsqrt", [](const ValueRange& a) { return PowerOf({std::max(0.0, a.low), a.high}, -0.5); }},
      // Where x is below 0 the product of SELU's two constants bounds it.
      {"Selu", [](const ValueRange& a) { return ValueRange{-1.7580994, std::max(0.0, 1.0507010 * a.high)}; }},
      {"Sigmoid", Fixed<0, 1>},
      {"Sign", Fixed<-1, 1>},
      {"Sin", Fixed<-1, 1>},
      {"Sinh", Rising<std::sinh>},
      {"SoftmaxV2", Fixed<0, 1>},
      {"Softplus", Rising<Softplus>},
      {"Softsign", Fixed<-1, 1>},
      {"Sqrt",
       [](const ValueRange& a) {
         return ValueRange{std::sqrt(std::max(0.0, a.low)), std::sqrt(std::max(0.0, a.high))};
       }},
      {"Square", SquareOf},
      {"Swish", [](const ValueRange& a) { return Gated(a, -0.3); }},
      {"Tanh", Fixed<-1, 1>},
      // Each output lies among the inputs.
      {"AvgPoolV2", [](const ValueRange& a) { return Hull(a, {0, 0}); }},
      {"GlobalAveragePool", [](const ValueRange& a) { return a; }},
      {"LeakyRelu", [](const ValueRange& a) { return Hull(a, {0, 0}); }},
      {"MaxPoolV3", [](const ValueRange& a) { return a; }},
      {"ReduceMax", [](const ValueRange& a) { return a; }},
      {"ReduceMean", [](const ValueRange& a) { return a; }},
      {"ReduceMin", [](const ValueRange& a) { return a; }},
  };
  return kUnaries;
}

using Binary = ValueRange (*)(const ValueRange&, const ValueRange&);

const std::map<std::string, Binary>& Binaries() {
  static const std::map<std::string, Binary> kBinaries = {
      {"Add", Sum},
      {"BiasAdd", Sum},
      {"Maximum", [](const ValueRange& a,
                     const ValueRange& b) { return ValueRange{std::max(a.low, b.low), std::max(a.high, b.high)}; }},
      {"Minimum", [](const ValueRange& a,
                     const ValueRange& b) { return ValueRange{std::min(a.low, b.low), std::min(a.high, b.high)}; }},
      {"Mul", Product},
      {"RealDiv", Quotient},
      {"Sub", [](const ValueRange& a, const ValueRange& b) { return Sum(a, Negative(b)); }},
  };
  return kBinaries;
}

// A sum of products with the elements of a constant: for each output channel those along `axis` of the constant.
ValueRange WeightedSum(const ValueRange& data, const Tensor& weights, size_t axis) {
  const ValueRange x = Hull(data, {0, 0});  // padding is zero
  const std::vector<double> elements = ToDoubles(Widen(weights.Materialized()));
  const std::vector<int64_t> strides = weights.shape().Strides();
  std::vector<ValueRange> sums(static_cast<size_t>(std::max<int64_t>(weights.shape()[axis], 0)), {0, 0});
  for (size_t i = 0; i < elements.size(); ++i) {
    const int64_t channel = static_cast<int64_t>(i) / strides[axis] % weights.shape()[axis];
    ValueRange& sum = sums[static_cast<size_t>(channel)];
    const double w = elements[i];
    sum.low += w > 0 ? Times(w, x.low) : Times(w, x.high);
    sum.high += w > 0 ? Times(w, x.high) : Times(w, x.low);
  }
  return sums.empty() ? ValueRange{0, 0} : HullOf(sums);
}

class Finder {
 public:
  Finder(const Graph& graph, const Ranges& inputs) : graph_(graph), found_(graph.value_capacity()) {
    const std::vector<NodeId> data = graph.Inputs();
    for (size_t i = 0; i < std::min(data.size(), inputs.size()); ++i) Set(graph.node(data[i]), inputs[i]);
  }

  Ranges Run() {
    for (const NodeId id : graph_.TopologicalOrder()) {
      const Node& node = graph_.node(id);
      if (node.type() == "Data" || node.outputs.empty()) continue;
      if (node.fused) {
        Fused(node);
      } else {
        Set(node, Of(node));
        if (node.type() == "onnx::LSTM" && node.outputs.size() > 2)
          found_[node.outputs[2]] = Cell(node, InputsOf(node));
      }
    }
    return std::move(found_);
  }

 private:
  void Set(const Node& node, const ValueRange& range) {
    for (const ValueId output : node.outputs) {
      // NaN from infinite bounds says nothing.
      found_[output] = std::isnan(range.low) || std::isnan(range.high) ? ValueRange() : range;
    }
  }

  Ranges InputsOf(const Node& node) const {
    Ranges ranges;
    for (const ValueId id : node.inputs) ranges.push_back(id == kNoId ? ValueRange{0, 0} : found_[id]);
    return ranges;
  }

  // The graph that the node stands for.
  void Fused(const Node& node) {
    Ranges inputs(node.inputs.size());
    const std::vector<NodeId> data = node.fused->Inputs();
    inputs.resize(data.size());
    for (size_t i = 0; i < data.size(); ++i) {
      const auto index = static_cast<size_t>(node.fused->node(data[i]).attrs.Get<int64_t>("index", 0));
      if (index < node.inputs.size() && node.inputs[index] != kNoId) inputs[i] = found_[node.inputs[index]];
    }
    // Constants reach a fused graph from outside: filters are bounded by their elements there too.
    std::map<NodeId, const Tensor*> constants;
    for (const NodeId id : data) {
      const auto index = static_cast<uint32_t>(node.fused->node(id).attrs.Get<int64_t>("index", 0));
      if (index < node.inputs.size()) {
        if (const Tensor* constant = graph_.ConstantInput(node, index)) constants.emplace(id, constant);
      }
    }
    Finder inner(*node.fused, inputs);
    inner.constants_ = std::move(constants);
    const Ranges found = inner.Run();
    const Node* out = node.fused->NetOutput();
    for (size_t i = 0; out != nullptr && i < std::min(out->inputs.size(), node.outputs.size()); ++i) {
      found_[node.outputs[i]] = found[out->inputs[i]];
    }
  }

  const Tensor* Constant(const Node& node, uint32_t input) const {
    if (input >= node.inputs.size() || node.inputs[input] == kNoId) return nullptr;
    if (const Tensor* constant = graph_.ConstantInput(node, input)) return constant;
    const auto outer = constants_.find(graph_.producer(node.inputs[input]).id);
    return outer == constants_.end() ? nullptr : outer->second;
  }

  ValueRange Of(const Node& node) const {
    const std::string& type = node.type().str();
    const Ranges in = InputsOf(node);
    if (type == "Const") return RangeOf(*node.attrs.FindAs<Tensor>("value"));
    if (const auto rule = Rules().find(type); rule != Rules().end() && !in.empty())
      return (this->*rule->second)(node, in);
    if (const auto unary = Unaries().find(type); unary != Unaries().end() && !in.empty()) return unary->second(in[0]);
    if (const auto binary = Binaries().find(type); binary != Binaries().end() && in.size() == 2) {
      return binary->second(in[0], in[1]);
    }
    if (node.Is(kShapeOnly) && !in.empty()) return in[0];
    // Movement: what is not an element of an input is zero.
    if (node.Is(kHalfNative) && !in.empty()) {
      ValueRange hull{0, 0};
      for (size_t i = 0; i < in.size(); ++i) {
        if (node.inputs[i] != kNoId && IsFloating(graph_.desc(node.inputs[i]).dtype)) hull = Hull(hull, in[i]);
      }
      return type == "Cast" ? in[0] : hull;
    }
    return {};
  }

  using Rule = ValueRange (Finder::*)(const Node&, const Ranges&) const;

  // Of operators whose bounds follow from attributes, shapes and constants too.
  static const std::map<std::string, Rule>& Rules() {
    static const std::map<std::string, Rule> kRules = {
        {"BatchMatMulV2", &Finder::MatrixProduct},
        {"BatchNorm", &Finder::BatchNorm},
        {"CeluV2", &Finder::Exponential},
        {"ClipByValue", &Finder::Clipped},
        {"Conv2D", &Finder::Convolution},
        {"Conv2DTranspose", &Finder::Deconvolution},
        {"Conv3D", &Finder::Convolution},
        {"Conv3DTranspose", &Finder::Deconvolution},
        {"Cumsum", &Finder::RunningSum},
        {"Elu", &Finder::Exponential},
        {"GroupNormV2", &Finder::GroupNorm},
        {"InstanceNorm", &Finder::InstanceNorm},
        {"LayerNorm", &Finder::Norm},
        {"LayerNormV3", &Finder::Norm},
        {"MatMulV2", &Finder::MatrixProduct},
        {"Pow", &Finder::Power},
        {"ReduceLogSumExp", &Finder::LogSumExp},
        {"ReduceSum", &Finder::ReducedSum},
        {"Select", &Finder::Chosen},
        {"SelectV2", &Finder::Chosen},
        {"onnx::BatchNormalization", &Finder::BatchNorm},
        {"onnx::Clip", &Finder::Clipped},
        {"onnx::DequantizeLinear", &Finder::Dequantized},
        {"onnx::GRU", &Finder::State},
        {"onnx::GroupNormalization", &Finder::GroupNorm},
        {"onnx::LSTM", &Finder::State},
        {"onnx::LayerNormalization", &Finder::Norm},
        {"onnx::RNN", &Finder::State},
        {"onnx::ReduceL1", &Finder::SumOfMagnitudes},
        {"onnx::ReduceL2", &Finder::EuclideanNorm},
        {"onnx::ReduceSumSquare", &Finder::SumOfSquares},
    };
    return kRules;
  }

  ValueRange Clipped(const Node& node, const Ranges& in) const {
    ValueRange out = in.empty() ? ValueRange() : in[0];
    if (in.size() > 1 && node.inputs[1] != kNoId) out = {std::max(out.low, in[1].low), std::max(out.high, in[1].high)};
    if (in.size() > 2 && node.inputs[2] != kNoId) out = {std::min(out.low, in[2].low), std::min(out.high, in[2].high)};
    return out;
  }

  ValueRange Convolution(const Node& node, const Ranges& in) const {
    const Tensor* filter = Constant(node, 1);
    if (filter == nullptr || filter->shape().rank() < 3) return {};
    const ValueRange sum = WeightedSum(in[0], *filter, 0);
    return in.size() > 2 && node.inputs[2] != kNoId ? Sum(sum, in[2]) : sum;
  }

  // Inputs: size, data, filter [in, out, spatial...], bias. No output is the sum of more than all taps of its channel.
  ValueRange Deconvolution(const Node& node, const Ranges& in) const {
    const Tensor* filter = Constant(node, 2);
    if (filter == nullptr || filter->shape().rank() < 3) return {};
    const ValueRange sum = WeightedSum(in[1], *filter, 1);
    return in.size() > 3 && node.inputs[3] != kNoId ? Sum(sum, in[3]) : sum;
  }

  // Below 0 alpha (e^x - 1), and what it is multiplied by.
  ValueRange Exponential(const Node& node, const Ranges& in) const {
    const double alpha = node.Attr<float>("alpha");
    if (node.attrs.Get<float>("scale", 1) != 1 || node.attrs.Get<float>("input_scale", 1) != 1 || alpha < 0) return {};
    return {-alpha, std::max(0.0, in[0].high)};
  }

  ValueRange Power(const Node& node, const Ranges& in) const {
    const Tensor* exponent = Constant(node, 1);
    return exponent != nullptr && exponent->NumElements() == 1
               ? PowerOf(in[0], ToDoubles(Widen(exponent->Materialized()))[0])
               : ValueRange();
  }

  ValueRange Chosen(const Node&, const Ranges& in) const { return in.size() == 3 ? Hull(in[1], in[2]) : ValueRange(); }

  ValueRange Dequantized(const Node& node, const Ranges& in) const {
    if (in.size() < 2) return {};
    const bool shifted = in.size() > 2 && node.inputs[2] != kNoId;
    return Product(shifted ? Sum(in[0], Negative(in[2])) : in[0], in[1]);
  }

  ValueRange RunningSum(const Node& node, const Ranges& in) const {
    const Tensor* axis = Constant(node, 1);
    const Shape& shape = graph_.desc(node.inputs[0]).origin_shape;
    if (axis == nullptr || axis->NumElements() != 1 || !shape.HasRank()) return {};
    const int64_t at = ToInts(axis->Materialized())[0], rank = static_cast<int64_t>(shape.rank());
    if (at < -rank || at >= rank) return {};
    const auto count = static_cast<double>(shape[static_cast<size_t>(at < 0 ? at + rank : at)]);
    if (count < 0) return {};
    const ValueRange sum = Hull(in[0], Product(in[0], {count, count}));
    return node.attrs.Get<bool>("exclusive", false) ? Hull(sum, {0, 0}) : sum;
  }

  // Numbers without their mean, over their standard deviation, which lie so far out at most, scaled and shifted.
  static ValueRange Normalised(const Node& node, const Ranges& in, double count) {
    if (in.size() < 2 || node.outputs.size() != 1) return {};
    // Of n numbers none is more than sqrt(n - 1) standard deviations off.
    const double most = std::sqrt(std::max(0.0, count - 1));
    const ValueRange scaled = Product({-most, most}, in[1]);
    return in.size() > 2 && node.inputs[2] != kNoId ? Sum(scaled, in[2]) : scaled;
  }

  // The channels' dim of the first input, of a layout by its name.
  static size_t ChannelOf(const std::string& format, size_t rank) {
    return format.ends_with('C') && format.starts_with('N') ? rank - 1 : 1;
  }

  ValueRange InstanceNorm(const Node& node, const Ranges& in) const {
    const Shape& shape = graph_.desc(node.inputs[0]).origin_shape;
    if (!shape.IsKnown() || shape.rank() < 2) return {};
    const size_t channel = ChannelOf(node.Attr<std::string>("data_format"), shape.rank());
    double count = 1;
    for (size_t i = 1; i < shape.rank(); ++i) count *= i == channel ? 1 : static_cast<double>(shape[i]);
    return Normalised(node, in, count);
  }

  ValueRange GroupNorm(const Node& node, const Ranges& in) const {
    const Shape& shape = graph_.desc(node.inputs[0]).origin_shape;
    const int64_t groups = node.Attr<int64_t>("num_groups");
    if (!shape.IsKnown() || shape.rank() < 2 || shape[0] < 1 || groups < 1) return {};
    return Normalised(node, in, static_cast<double>(shape.NumElements() / (shape[0] * groups)));
  }

  // With the mean and variance that were learnt: a line for each channel.
  ValueRange BatchNorm(const Node& node, const Ranges& in) const {
    // Before opset 9 of ONNX statistics may be those of places, or the batch's own.
    const bool learnt = node.type() == "BatchNorm"
                            ? !node.Attr<bool>("is_training")
                            : node.Attr<int64_t>("opset") >= 9 && node.Attr<int64_t>("training_mode") == 0;
    if (!learnt || node.outputs.size() != 1) return {};
    std::vector<double> parts[4];  // scale, offset, mean, variance
    for (uint32_t i = 0; i < 4; ++i) {
      const Tensor* constant = Constant(node, i + 1);
      if (constant == nullptr) return {};
      parts[i] = ToDoubles(Widen(constant->Materialized()));
      if (parts[i].empty() || parts[i].size() != parts[0].size()) return {};
    }
    Ranges lines;
    for (size_t c = 0; c < parts[0].size(); ++c) {
      const double scale = parts[0][c] / std::sqrt(parts[3][c] + node.Attr<float>("epsilon"));
      const ValueRange shifted = Sum(in[0], {-parts[2][c], -parts[2][c]});
      lines.push_back(Sum(Product(shifted, {scale, scale}), {parts[1][c], parts[1][c]}));
      if (std::isnan(lines.back().low) || std::isnan(lines.back().high)) return {};
    }
    return HullOf(lines);
  }

  // Whether gates are from 0 to 1 and what they let through from -1 to 1, as it is where nothing else is asked for.
  static bool HasDefaultActivations(const Node& node) {
    const auto names = node.Attr<std::vector<std::string>>("activations");
    const size_t each = node.type() == "onnx::LSTM" ? 3 : node.type() == "onnx::GRU" ? 2 : 1;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] != (i % each == 0 && each > 1 ? "Sigmoid" : "Tanh")) return false;
    }
    return true;
  }

  // The states of a recurrent operator lie among the first one and what tanh gives.
  ValueRange State(const Node& node, const Ranges& in) const {
    constexpr size_t kInitial = 5;
    if (!HasDefaultActivations(node)) return {};
    return in.size() > kInitial ? Hull({-1, 1}, in[kInitial]) : ValueRange{-1, 1};
  }

  // A cell of an LSTM grows by 1 a step at most.
  ValueRange Cell(const Node& node, const Ranges& in) const {
    constexpr size_t kInitial = 6;
    const Shape& shape = graph_.desc(node.inputs[0]).origin_shape;
    if (!shape.HasRank() || shape.rank() != 3 || !HasDefaultActivations(node)) return {};
    const int64_t steps = shape[node.Attr<int64_t>("layout") != 0 ? 1 : 0];
    if (steps < 0) return {};
    const double most = static_cast<double>(steps) + (in.size() > kInitial ? in[kInitial].Magnitude() : 0);
    return {-most, most};
  }

  ValueRange Norm(const Node& node, const Ranges& in) const {
    const Shape& shape = graph_.desc(node.inputs[0]).origin_shape;
    if (!shape.IsKnown()) return {};
    const auto rank = static_cast<int64_t>(shape.rank());
    int64_t axis = node.attrs.Get<int64_t>(node.type() == "onnx::LayerNormalization" ? "axis" : "begin_norm_axis",
                                           node.type() == "onnx::LayerNormalization" ? -1 : 0);
    if (axis < 0) axis += rank;
    double count = 1;
    for (int64_t i = std::max<int64_t>(axis, 0); i < rank; ++i)
      count *= static_cast<double>(shape[static_cast<size_t>(i)]);
    return Normalised(node, in, count);
  }

  ValueRange MatrixProduct(const Node& node, const Ranges& in) const {
    const bool batched = node.type() == "BatchMatMulV2";
    ValueRange sum;
    const Tensor* weights = Constant(node, 1);
    if (weights != nullptr && weights->shape().rank() == 2) {
      const bool transposed = node.Attr<bool>(batched ? "adj_x2" : "transpose_x2");
      sum = WeightedSum(in[0], *weights, transposed ? 0 : 1);
    } else {
      const Shape& shape = graph_.desc(node.inputs[0]).origin_shape;
      if (!shape.HasRank() || shape.rank() < 2) return {};
      const bool transposed = node.Attr<bool>(batched ? "adj_x1" : "transpose_x1");
      const int64_t depth = shape[shape.rank() - (transposed ? 2 : 1)];
      if (depth < 0) return {};
      sum = Product(Product(in[0], in[1]), {static_cast<double>(depth), static_cast<double>(depth)});
    }
    return in.size() > 2 && node.inputs[2] != kNoId ? Sum(sum, in[2]) : sum;
  }

  // How many elements a reduction brings together; 0 where that is open.
  double Reduced(const Node& node) const {
    const int64_t from = graph_.desc(node.inputs[0]).origin_shape.NumElements();
    const int64_t to = graph_.desc(node.outputs[0]).origin_shape.NumElements();
    return from < 0 || to <= 0 ? 0 : static_cast<double>(from / to);
  }

  ValueRange SumOf(const Node& node, const ValueRange& in) const {
    const double count = Reduced(node);
    return count == 0 ? ValueRange() : Product(in, {count, count});
  }

  ValueRange ReducedSum(const Node& node, const Ranges& in) const { return SumOf(node, in[0]); }
  ValueRange SumOfMagnitudes(const Node& node, const Ranges& in) const { return SumOf(node, AbsOf(in[0])); }
  ValueRange SumOfSquares(const Node& node, const Ranges& in) const { return SumOf(node, SquareOf(in[0])); }
  ValueRange EuclideanNorm(const Node& node, const Ranges& in) const {
    const ValueRange squares = SumOf(node, SquareOf(in[0]));
    return {std::sqrt(std::max(0.0, squares.low)), std::sqrt(std::max(0.0, squares.high))};
  }
  ValueRange LogSumExp(const Node& node, const Ranges& in) const {
    const double count = Reduced(node);
    return count == 0 ? ValueRange() : Sum(in[0], {std::log(count), std::log(count)});
  }

  const Graph& graph_;
  Ranges found_;
  std::map<NodeId, const Tensor*> constants_;  // by Data of a fused graph: what stands outside
};

}  // namespace

bool ValueRange::bounded() const { return std::isfinite(low) && std::isfinite(high); }

double ValueRange::Magnitude() const { return std::max(std::abs(low), std::abs(high)); }

ValueRange RangeOf(const Tensor& maybe_deferred) {
  const Tensor tensor = maybe_deferred.Materialized();
  if (!tensor.defined() || (!IsFloating(tensor.dtype()) && !IsInteger(tensor.dtype()) && tensor.dtype() != DT_BOOL)) {
    return {};
  }
  if (tensor.NumElements() == 0) return {0, 0};
  ValueRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double value : ToDoubles(Widen(tensor))) {
    if (!std::isnan(value)) range = Hull(range, {value, value});
  }
  return range.low > range.high ? ValueRange() : range;
}

ValueRange RangeOf(DataType dtype) {
  switch (dtype) {
    case DT_BOOL: return {0, 1};
    case DT_UINT8: return {0, 255};
    case DT_INT8: return {-128, 127};
    default: return {};
  }
}

std::vector<ValueRange> FindRanges(const Graph& graph, const std::vector<ValueRange>& inputs) {
  return Finder(graph, inputs).Run();
}

}  // namespace atc
