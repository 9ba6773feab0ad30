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

using Unary = ValueRange (*)(const ValueRange&);

template <int kLow, int kHigh>
ValueRange Fixed(const ValueRange&) {
  return {kLow, kHigh};
}

const std::map<std::string, Unary>& Unaries() {
  static const std::map<std::string, Unary> kUnaries = {
      {"Abs", AbsOf},
      {"Cos", Fixed<-1, 1>},
      {"Erf", Fixed<-1, 1>},
      {"Exp", Rising<std::exp>},
      {"Gelu", [](const ValueRange& a) { return Gated(a, -0.2); }},
      {"HardSigmoid", Fixed<0, 1>},
      {"HardSwish", [](const ValueRange& a) { return Gated(a, -0.4); }},
      {"LogSoftmaxV2", [](const ValueRange&) { return ValueRange{-std::numeric_limits<double>::infinity(), 0}; }},
      {"Mish", [](const ValueRange& a) { return Gated(a, -0.4); }},
      {"Neg", Negative},
      {"Relu", [](const ValueRange& a) { return ValueRange{std::max(0.0, a.low), std::max(0.0, a.high)}; }},
      {"Relu6", Fixed<0, 6>},
      {"Sigmoid", Fixed<0, 1>},
      {"Sin", Fixed<-1, 1>},
      {"SoftmaxV2", Fixed<0, 1>},
      {"Softsign", Fixed<-1, 1>},
      {"Sqrt", [](const ValueRange& a) { return ValueRange{std::sqrt(std::max(0.0, a.low)), std::sqrt(std::max(0.0, a.high))}; }},
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
      {"Maximum", [](const ValueRange& a, const ValueRange& b) {
         return ValueRange{std::max(a.low, b.low), std::max(a.high, b.high)};
       }},
      {"Minimum", [](const ValueRange& a, const ValueRange& b) {
         return ValueRange{std::min(a.low, b.low), std::min(a.high, b.high)};
       }},
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
    if (type == "Conv2D") return Convolution(node, in);
    if (type == "MatMulV2" || type == "BatchMatMulV2") return MatrixProduct(node, in);
    if (type == "ReduceSum" && !in.empty()) return ReducedSum(node, in[0]);
    if (type == "ClipByValue" || type == "onnx::Clip") return Clipped(node, in);
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

  static ValueRange Clipped(const Node& node, const Ranges& in) {
    ValueRange out = in.empty() ? ValueRange() : in[0];
    if (in.size() > 1 && node.inputs[1] != kNoId) out = {std::max(out.low, in[1].low), std::max(out.high, in[1].high)};
    if (in.size() > 2 && node.inputs[2] != kNoId) out = {std::min(out.low, in[2].low), std::min(out.high, in[2].high)};
    return out;
  }

  ValueRange Convolution(const Node& node, const Ranges& in) const {
    const Tensor* filter = Constant(node, 1);
    if (filter == nullptr || filter->shape().rank() != 4) return {};
    const ValueRange sum = WeightedSum(in[0], *filter, 0);
    return in.size() > 2 && node.inputs[2] != kNoId ? Sum(sum, in[2]) : sum;
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

  ValueRange ReducedSum(const Node& node, const ValueRange& in) const {
    const int64_t from = graph_.desc(node.inputs[0]).origin_shape.NumElements();
    const int64_t to = graph_.desc(node.outputs[0]).origin_shape.NumElements();
    if (from < 0 || to <= 0) return {};
    const auto count = static_cast<double>(from / to);
    return Product(in, {count, count});
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
