#include "test/backend_cases/case_mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

#include "compiler/ops/evaluator.h"
#include "parsers/onnx/parser.h"
#include "parsers/onnx/value_file.h"
#include "test/backend_cases/compare.h"

namespace atc::backend_cases {
namespace {

namespace fs = std::filesystem;

// Their cases are made 8-bit by quantising their ends.
const std::set<std::string> kQuantised = {"Add",     "AvgPoolV2", "BatchMatMulV2", "ConcatD", "Conv2D",  "MatMulV2", "MaxPool",
                                          "MaxPoolV3", "Mul",     "Relu",          "Reshape", "Sigmoid", "Transpose"};

bool IsReal(DataType dtype) { return dtype == DT_FLOAT; }
bool IsPlain(DataType dtype) { return dtype != DT_STRING && dtype != DT_VARIANT && DataTypeBits(dtype) % 8 == 0; }

class Mixer {
 public:
  Mixer(uint32_t seed, bool open) : random_(seed), open_(open), fixed_(!open && Pick(2) == 0) {
    mix_.graph = std::make_unique<Graph>("mix");
  }

  void Add(const LoadedCase& which) {
    std::vector<ValueId> inputs;
    const bool quantised = !open_ && Quantises(which) && Pick(2) == 0;
    const std::vector<NodeId> data = which.graph->Inputs();
    const bool weights = Pick(2) == 0;  // all inputs but the first are constants
    for (size_t i = 0; i < data.size(); ++i) {
      const Tensor& tensor = which.inputs[i];
      ValueId value = Input(tensor, i > 0 && (weights || (fixed_ && IsInteger(tensor.dtype()))), which.graph->desc(which.graph->node(data[i]).outputs[0]));
      if (quantised && IsReal(tensor.dtype())) {
        value = Requantised(value, tensor).first;
      } else {
        if (i == 0 || !(weights || fixed_)) value = Through(value, tensor);
      }
      inputs.push_back(value);
    }
    std::vector<ValueId> outputs = Pick(5) == 0 ? InBranches(which, inputs) : Copy(*which.graph, Graph_(), inputs);
    std::vector<ValueId> again;
    if (Pick(4) == 0) again = Copy(*which.graph, Graph_(), inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor& expected = which.outputs[i];
      if (quantised && IsReal(expected.dtype())) {
        const auto [value, scale] = Requantised(outputs[i], expected);
        Give(value, which.name, scale);
        continue;
      }
      ValueId value = outputs[i];
      if (!again.empty()) {
        if (!IsReal(expected.dtype())) {
          Give(again[i], which.name, 0);
        } else {
          value = Op("Add", {value, again[i]});
        }
      }
      if (Pick(4) != 0) {
        Give(After(value, expected), which.name, 0);
      } else {
        Give(value, which.name, 0);
      }
    }
  }

  CaseMix Finish() {
    std::vector<ValueId> values;
    for (const auto& [value, output] : given_) {
      values.push_back(value);
      mix_.outputs.push_back(output);
    }
    Graph_().Add("NetOutput", "Node_Output", values, 0);
    return std::move(mix_);
  }

 private:
  Graph& Graph_() { return *mix_.graph; }
  size_t Pick(size_t n) { return random_() % n; }

  ValueId Op(const char* type, std::vector<ValueId> in) {
    Node& node = Graph_().Add(type, "", std::move(in), 1);
    node.origin = Graph_().origins().Leaf(node.name);
    return node.outputs[0];
  }
  ValueId Ints(std::vector<int64_t> values) { return Graph_().AddConst("i", Tensor::Ints(std::move(values))); }
  ValueId Scalar(float value) { return Graph_().AddConst("c", Tensor::Scalar(value)); }

  ValueId Input(const Tensor& tensor, bool constant, const TensorDesc& declared) {
    if (IsPlain(tensor.dtype()) && (constant || Pick(5) == 0)) return Graph_().AddConst("constant", tensor);
    mix_.inputs.push_back(tensor);
    TensorDesc desc(tensor.dtype(), open_ ? Shape::UnknownDims(tensor.shape().rank()) : tensor.shape());
    if (tensor.dtype() == DT_VARIANT) desc = declared;
    return Graph_().AddData("", static_cast<int64_t>(mix_.inputs.size()) - 1, std::move(desc));
  }

  // The value again, by nodes that go away.
  ValueId Through(ValueId value, const Tensor& tensor) {
    if (!IsPlain(tensor.dtype())) return value;
    const size_t rank = tensor.shape().rank();
    for (size_t times = Pick(3); times > 0; --times) {
      switch (Pick(7)) {
        case 0: value = Op("Identity", {value}); break;
        case 1:
          if (rank >= 2) value = Turned(Turned(value, Reversed(rank)), Reversed(rank));
          break;
        case 2:
          if (IsReal(tensor.dtype())) value = Op("Neg", {Op("Neg", {value})});
          break;
        case 3:
          if (IsReal(tensor.dtype())) value = Op("Mul", {value, Scalar(1)});
          break;
        case 4:
          if (!open_ && tensor.NumElements() > 0) value = Op("Reshape", {Op("Reshape", {value, Ints({-1})}), Ints(tensor.shape().dims())});
          break;
        case 5:
          if (IsReal(tensor.dtype())) value = CastTo(CastTo(value, DT_DOUBLE), DT_FLOAT);
          break;
        default:
          if (!open_ && rank >= 1 && tensor.shape()[0] > 0) value = FirstOfTwo(value, tensor.shape());
          break;
      }
    }
    return value;
  }

  static std::vector<int64_t> Reversed(size_t rank) {
    std::vector<int64_t> perm(rank);
    std::iota(perm.rbegin(), perm.rend(), 0);
    return perm;
  }
  ValueId Turned(ValueId value, std::vector<int64_t> perm) { return Op("Transpose", {value, Ints(std::move(perm))}); }
  ValueId CastTo(ValueId value, DataType dtype) {
    const ValueId cast = Op("Cast", {value});
    Graph_().producer(cast).attrs.Set("dst_type", static_cast<int64_t>(dtype));
    return cast;
  }
  ValueId FirstOfTwo(ValueId value, const Shape& shape) {
    const ValueId both = Op("ConcatD", {value, value});
    Graph_().producer(both).attrs.Set("concat_dim", int64_t{0});
    Graph_().producer(both).attrs.Set("N", int64_t{2});
    return Op("StridedSliceV2", {both, Ints({0}), Ints({shape[0]}), Ints({0}), Ints({1})});
  }

  // What follows an output: real numbers alone, or made so.
  ValueId After(ValueId value, const Tensor& expected) {
    if (!IsPlain(expected.dtype()) || (!IsReal(expected.dtype()) && !IsInteger(expected.dtype()))) return value;
    if (!IsReal(expected.dtype())) {
      if (Pick(2) == 0) return value;
      value = CastTo(value, DT_FLOAT);
    }
    const Shape& shape = expected.shape();
    const size_t rank = shape.rank();
    // What follows convolutions and products.
    if (rank == 4 && shape[1] > 0 && Pick(3) == 0) value = Norm(value, shape[1]);
    if (rank == 4 && shape[1] > 0 && Pick(3) == 0) {
      value = Op("Add", {value, Op("Reshape", {Ramp(shape[1]), Ints({shape[1], 1, 1})})});
    }
    if (rank == 2 && shape[1] > 0 && Pick(3) == 0) value = Op("Add", {value, Ramp(shape[1])});
    for (size_t times = 1 + Pick(3); times > 0; --times) {
      constexpr const char* kUnary[] = {"Abs", "HardSwish", "Neg", "Relu", "Relu6", "Sigmoid", "Tanh"};
      switch (Pick(8)) {
        case 0: value = Op("Add", {value, Scalar(0.25f)}); break;
        case 1: value = Op("Mul", {value, Scalar(0.5f)}); break;
        case 2:
          if (rank == 4 && shape[1] > 0) value = Norm(value, shape[1]);
          break;
        case 3:
          if (rank >= 1 && shape[rank - 1] > 0) value = Op("Add", {value, Ramp(shape[rank - 1])});
          break;
        case 4: value = SpelledOut(value); break;
        case 5:
          if (rank >= 1 && shape[rank - 1] > 0) value = NormOfRows(value, shape[rank - 1]);
          break;
        default: value = Op(kUnary[Pick(std::size(kUnary))], {value}); break;
      }
    }
    // A sum with the latest of that shape.
    if (shape == joint_shape_ && joint_ != kNoId && Pick(2) == 0) value = Op("Maximum", {value, joint_});
    joint_ = value;
    joint_shape_ = shape;
    // Movement comes last: `shape` says no more how the value lies.
    if (rank >= 2 && Pick(3) == 0) value = Op("Relu", {Turned(value, Reversed(rank))});
    return value;
  }
  // Activations as exporters write them.
  ValueId SpelledOut(ValueId x) {
    switch (Pick(5)) {
      case 0: return Op("Mul", {x, Op("Sigmoid", {x})});
      case 1: return Op("Mul", {x, Op("Tanh", {Op("Softplus", {x})})});
      case 2: return Op("Mul", {x, Op("RealDiv", {Op("Relu6", {Op("Add", {x, Scalar(3)})}), Scalar(6)})});
      case 3: {
        const ValueId erf = Op("Erf", {Op("RealDiv", {x, Scalar(1.41421356f)})});
        return Op("Mul", {Op("Mul", {x, Op("Add", {erf, Scalar(1)})}), Scalar(0.5f)});
      }
      default: {
        const ValueId cube = Op("Mul", {Op("Pow", {x, Scalar(3)}), Scalar(0.044715f)});
        const ValueId tanh = Op("Tanh", {Op("Mul", {Op("Add", {x, cube}), Scalar(0.797884561f)})});
        return Op("Mul", {Op("Mul", {x, Scalar(0.5f)}), Op("Add", {tanh, Scalar(1)})});
      }
    }
  }
  ValueId MeanOfRows(ValueId x) {
    const ValueId mean = Op("ReduceMean", {x, Ints({-1})});
    Graph_().producer(mean).attrs.Set("keep_dims", AttrValue(true));
    return mean;
  }
  // Layer normalisation, or by the root of the mean square.
  ValueId NormOfRows(ValueId x, int64_t columns) {
    const bool rms = Pick(2) == 0;
    const ValueId centred = rms ? x : Op("Sub", {x, MeanOfRows(x)});
    const ValueId variance = MeanOfRows(Op("Pow", {centred, Scalar(2)}));
    const ValueId root = Op("Sqrt", {Op("Add", {variance, Scalar(1e-3f)})});
    const ValueId scaled = Op("Mul", {Op("RealDiv", {centred, root}), Ramp(columns)});
    return rms ? scaled : Op("Add", {scaled, Ramp(columns)});
  }
  ValueId Ramp(int64_t size, float begin = -0.5f) {
    std::vector<float> values(static_cast<size_t>(size));
    for (size_t i = 0; i < values.size(); ++i) values[i] = begin + 0.01f * static_cast<float>(i % 97);
    return Graph_().AddConst("ramp", Tensor::From<float>(DT_FLOAT, {size}, values));
  }
  ValueId Norm(ValueId value, int64_t channels) {
    const ValueId norm = Op("BatchNorm", {value, Ramp(channels), Ramp(channels), Ramp(channels), Ramp(channels, 0.5f)});
    Node& node = Graph_().producer(norm);
    node.attrs.Set("epsilon", 1e-5f);
    node.attrs.Set("data_format", "NCHW");
    node.attrs.Set("is_training", AttrValue(false));
    return norm;
  }

  static bool Quantises(const LoadedCase& which) {
    bool quantises = false;
    for (NodeId id = 0; id < which.graph->node_capacity(); ++id) {
      quantises |= which.graph->node(id).alive && kQuantised.contains(which.graph->node(id).type().str());
    }
    return quantises;
  }

  // By eight bits and back; the value and its step.
  std::pair<ValueId, double> Requantised(ValueId value, const Tensor& sample) {
    float largest = 1e-3f;
    for (const double element : ToDoubles(sample)) {
      if (std::isfinite(element)) largest = std::max(largest, static_cast<float>(std::abs(element)));
    }
    const float scale = largest / 127;
    Tensor zero = Tensor::Allocate(DT_UINT8, {});
    zero.MutableData<uint8_t>()[0] = 128;
    const auto ends = [&](ValueId in) {
      return std::vector<ValueId>{in, Scalar(scale), Graph_().AddConst("zero", zero)};
    };
    return {Op("onnx::DequantizeLinear", ends(Op("onnx::QuantizeLinear", ends(value)))), scale};
  }

  // The nodes of `from` in `to`, which has `inputs` for its Data nodes; what it gives to NetOutput.
  std::vector<ValueId> Copy(const Graph& from, Graph& to, const std::vector<ValueId>& inputs) {
    std::vector<ValueId> of(from.value_capacity(), kNoId);
    std::vector<NodeId> node_of(from.node_capacity(), kNoId);
    const std::vector<NodeId> data = from.Inputs();
    for (size_t i = 0; i < std::min(data.size(), inputs.size()); ++i) of[from.node(data[i]).outputs[0]] = inputs[i];
    std::vector<ValueId> results;
    for (const NodeId id : from.TopologicalOrder()) {
      const Node& node = from.node(id);
      if (!node.outputs.empty() && of[node.outputs[0]] != kNoId) continue;  // a Data node that is fed
      std::vector<ValueId> in;
      for (const ValueId input : node.inputs) in.push_back(input == kNoId ? kNoId : of[input]);
      if (node.type() == "NetOutput" && &to == mix_.graph.get()) return in;
      if (node.type() == "NetOutput") results = in;
      const std::string name = fmt::format("n{}_{}", ++nodes_, node.name);  // unique in nested graphs as well
      Node& made = to.Add(*node.def, name, std::move(in), node.outputs.size());
      made.attrs = node.attrs;
      made.origin = to.origins().Leaf(name);
      node_of[id] = made.id;
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        of[node.outputs[i]] = made.outputs[i];
        to.desc(made.outputs[i]) = from.desc(node.outputs[i]);
      }
      for (const NodeId before : node.control_in) {
        if (node_of[before] != kNoId) to.AddControl(node_of[before], made.id);
      }
      for (const Subgraph& nested : node.subgraphs) Copy(*nested.graph, to.AddSubgraph(made, nested.name), {});
    }
    return results;
  }

  // If(condition): the case, else: the case.
  std::vector<ValueId> InBranches(const LoadedCase& which, const std::vector<ValueId>& inputs) {
    Tensor truth = Tensor::Allocate(DT_BOOL, {});
    truth.MutableData<bool>()[0] = Pick(2) == 0;
    ValueId condition;
    if (Pick(3) == 0) {
      condition = Graph_().AddConst("truth", truth);
    } else {
      condition = Graph_().AddData("", static_cast<int64_t>(mix_.inputs.size()), TensorDesc(DT_BOOL, Shape{}));
      mix_.inputs.push_back(truth);
    }
    std::vector<ValueId> in = {condition};
    in.insert(in.end(), inputs.begin(), inputs.end());
    Node& choice = Graph_().Add("If", "", in, which.outputs.size());
    choice.origin = Graph_().origins().Leaf(choice.name);
    for (const char* name : {"then_branch", "else_branch"}) {
      Graph& branch = Graph_().AddSubgraph(choice, name);
      std::vector<ValueId> captured;
      for (size_t i = 0; i < inputs.size(); ++i) {
        captured.push_back(branch.AddData(fmt::format("n{}_captured", ++nodes_), static_cast<int64_t>(i),
                                          Graph_().desc(inputs[i])));
        branch.producer(captured.back()).attrs.Set("_parent_node_index", static_cast<int64_t>(i) + 1);
      }
      Copy(*which.graph, branch, captured);
    }
    return choice.outputs;
  }

  void Give(ValueId value, const std::string& name, double quantum) { given_.push_back({value, {name, quantum}}); }

  std::mt19937 random_;
  const bool open_;
  const bool fixed_;  // whole numbers beside the first input are constants: shapes that depend on them are known
  CaseMix mix_;
  std::vector<std::pair<ValueId, CaseMix::Output>> given_;
  ValueId joint_ = kNoId;
  Shape joint_shape_;
  int nodes_ = 0;
};

}  // namespace

LoadedCase LoadCase(const std::string& name, const std::string& model) {
  LoadedCase loaded{name, ParseOnnx(model, CompileOptions(), nullptr), {}, {}};
  const fs::path set = fs::path(model).parent_path() / "test_data_set_0";
  const std::vector<NodeId> data = loaded.graph->Inputs();
  for (size_t i = 0; i < data.size(); ++i) {
    const std::string path = (set / fmt::format("input_{}.pb", i)).string();
    if (!fs::exists(path)) throw std::runtime_error("no data");
    const DataType dtype = loaded.graph->desc(loaded.graph->node(data[i]).outputs[0]).dtype;
    Tensor tensor = dtype == DT_VARIANT ? ReadVariantFile(path) : ReadTensorFile(path);
    if (dtype == DT_BF16 && tensor.dtype() == DT_UINT16) tensor = tensor.Bitcast(DT_BF16);
    if (tensor.dtype() != dtype) throw std::runtime_error("other data than declared");
    loaded.inputs.push_back(std::move(tensor));
  }
  loaded.outputs = Evaluate(*loaded.graph, loaded.inputs);
  return loaded;
}

CaseMix MixCases(const std::vector<LoadedCase>& cases, uint32_t seed, bool open) {
  Mixer mixer(seed, open);
  for (const LoadedCase& which : cases) mixer.Add(which);
  return mixer.Finish();
}

std::string MixDifference(const CaseMix::Output& output, const Tensor& expected, const Tensor& found) {
  if (!found.defined() || expected.dtype() != DT_FLOAT || found.dtype() != DT_FLOAT || !(expected.shape() == found.shape())) {
    return Difference(expected, found);
  }
  const std::vector<double> want = ToDoubles(expected);
  const std::vector<double> have = ToDoubles(found);
  double largest = 0;
  for (const double value : want) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] == have[i] || (std::isnan(want[i]) && std::isnan(have[i]))) continue;
    const double allowed = 1e-5 + 1e-3 * std::abs(want[i]) + 1e-5 * largest + 1.01 * output.quantum;
    if (!(std::abs(want[i] - have[i]) <= allowed)) {
      return fmt::format("element {} of {}: expected {}, found {}, {} allowed", i, want.size(), want[i], have[i], allowed);
    }
  }
  return "";
}

}  // namespace atc::backend_cases
