#include "compiler/interface_layout.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "compiler/ir/error.h"
#include "compiler/ir/nearest_names.h"

namespace atc {
namespace {

constexpr int64_t kBlock = 16;  // channels of a block of fp16
// On Data: it is adjusted. On NetOutput: 0 or 1 for each output.
constexpr char kAdjusted[] = "_adjusted_hw_layout";

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Adds nodes of one chain, named after what they serve.
class Chain {
 public:
  Chain(Graph& graph, std::string name, OriginId origin) : graph_(graph), name_(std::move(name)), origin_(origin) {}

  ValueId Add(const char* type, std::vector<ValueId> inputs) {
    Node& node = graph_.Add(type, name_ + "_" + type, std::move(inputs), 1);
    node.origin = origin_;
    node.Because("format", "the user's layout of " + name_);
    return node.outputs[0];
  }
  ValueId Ints(const char* what, std::vector<int64_t> values) {
    return graph_.AddConst(name_ + "_" + what, Tensor::Ints(values), origin_);
  }
  ValueId Cast(ValueId value, DataType to) {
    const ValueId cast = Add("Cast", {value});
    graph_.producer(cast).attrs.Set("dst_type", static_cast<int64_t>(to));
    return cast;
  }
  ValueId Transpose(ValueId value, std::vector<int64_t> perm) {
    return Add("Transpose", {value, Ints("perm", std::move(perm))});
  }
  ValueId Reshape(ValueId value, std::vector<int64_t> dims) {
    return Add("Reshape", {value, Ints("shape", std::move(dims))});
  }

 private:
  Graph& graph_;
  std::string name_;
  OriginId origin_;
};

void CheckBlockable(const TensorDesc& desc, const std::string& name, const char* flag) {
  const Shape& shape = desc.origin_shape;
  if (!shape.HasRank() || shape.rank() != 4) {
    throw Error("E10001", {{"value", "true"},
                           {"parameter", std::string("--") + flag},
                           {"reason", "'" + name + "' has the shape " + ToString(shape) + "; NC1HWC0 is for four dims."}});
  }
  if (!shape.IsKnown()) {
    throw Error("E10055", {{"reason", "--" + std::string(flag) + " of '" + name + "', whose shape " + ToString(shape) +
                                          " is open"}},
                "Fix the shape with --input_shape.");
  }
}

Shape Blocked(const Shape& nchw) { return {nchw[0], (nchw[1] + kBlock - 1) / kBlock, nchw[2], nchw[3], kBlock}; }

void AdjustInput(Graph& graph, Node& data, bool layout) {
  TensorDesc& desc = graph.desc(data.outputs[0]);
  if (desc.dtype != DT_FLOAT && desc.dtype != DT_FLOAT16) {
    throw Error("E10001", {{"value", data.name},
                           {"parameter", "--input_fp16_nodes"},
                           {"reason", "The input has the type " + std::string(DataTypeName(desc.dtype)) +
                                          "; float32 alone becomes float16."}});
  }
  if (layout) CheckBlockable(desc, data.name, "is_input_adjust_hw_layout");
  const DataType wanted = desc.dtype;
  const Shape nchw = desc.origin_shape;
  const std::vector<Use> uses = graph.value(data.outputs[0]).uses;
  desc.dtype = DT_FLOAT16;
  Chain chain(graph, data.name, data.origin);
  ValueId value = data.outputs[0];
  if (layout) {
    const Shape blocked = Blocked(nchw);
    desc = TensorDesc(DT_FLOAT16, blocked);
    data.attrs.Set(kAdjusted, int64_t{1});
    value = chain.Transpose(value, {0, 1, 4, 2, 3});
    value = chain.Reshape(value, {nchw[0], blocked[1] * kBlock, nchw[2], nchw[3]});
    if (nchw[1] % kBlock != 0) {
      value = chain.Add("StridedSliceV2", {value, chain.Ints("begin", {0}), chain.Ints("end", {nchw[1]}),
                                           chain.Ints("axes", {1}), chain.Ints("strides", {1})});
    }
  }
  if (wanted != DT_FLOAT16) value = chain.Cast(value, wanted);
  if (value == data.outputs[0]) return;
  for (const Use& use : uses) graph.SetInput(graph.node(use.node), use.input, value);
}

bool AdjustInputs(Graph& graph, const CompileOptions& options) {
  const std::vector<std::string> names = Split(options.GeOption("ge.INPUT_NODES_SET_FP16"), ';');
  const std::vector<std::string> layouts = Split(options.GeOption("is_input_adjust_hw_layout"), ',');
  for (size_t i = 0; i < names.size(); ++i) {
    Node* node = graph.Find(names[i]);
    if (node == nullptr) {
      std::vector<std::string> inputs;
      for (const NodeId id : graph.Inputs()) inputs.push_back(graph.node(id).name);
      throw Error("E10016", {{"opname", names[i]}, {"parameter", "input_fp16_nodes"}}, DidYouMean(names[i], inputs));
    }
    if (node->type() != "Data") throw Error("E10017", {{"opname", names[i]}, {"parameter", "input_fp16_nodes"}});
    AdjustInput(graph, *node, i < layouts.size() && layouts[i] == "true");
  }
  return !names.empty();
}

void AdjustOutput(Graph& graph, Node& net_output, uint32_t index) {
  const ValueId original = net_output.inputs[index];
  const Node& producer = graph.producer(original);
  const TensorDesc desc = graph.desc(original);
  CheckBlockable(desc, producer.name, "is_output_adjust_hw_layout");
  const Shape nchw = desc.origin_shape;
  const Shape blocked = Blocked(nchw);
  Chain chain(graph, producer.name + "_out" + std::to_string(index), producer.origin);
  ValueId value = desc.dtype == DT_FLOAT16 ? original : chain.Cast(original, DT_FLOAT16);
  if (nchw[1] % kBlock != 0) {
    value = chain.Add("PadV3", {value, chain.Ints("paddings", {0, 0, 0, blocked[1] * kBlock - nchw[1], 0, 0, 0, 0})});
  }
  value = chain.Reshape(value, {nchw[0], blocked[1], kBlock, nchw[2], nchw[3]});
  graph.SetInput(net_output, index, chain.Transpose(value, {0, 1, 3, 4, 2}));
}

}  // namespace

bool AdjustInterface(Graph& graph, const CompileOptions& options, std::vector<DataType>* output_types) {
  const bool changed = AdjustInputs(graph, options);
  const std::vector<std::string> layouts = Split(options.GeOption("is_output_adjust_hw_layout"), ',');
  if (std::find(layouts.begin(), layouts.end(), "true") == layouts.end()) return changed;
  Node& net_output = *graph.NetOutput();
  std::vector<int64_t> adjusted(net_output.inputs.size());
  for (uint32_t i = 0; i < net_output.inputs.size() && i < layouts.size(); ++i) {
    if (layouts[i] != "true") continue;
    AdjustOutput(graph, net_output, i);
    adjusted[i] = 1;
    if (i < output_types->size()) (*output_types)[i] = DT_UNDEFINED;
  }
  net_output.attrs.Set(kAdjusted, std::move(adjusted));
  return true;
}

void SetInterfaceFormats(Graph& graph) {
  for (const NodeId id : graph.Inputs()) {
    const Node& data = graph.node(id);
    if (data.attrs.Has(kAdjusted)) graph.desc(data.outputs[0]).origin_format = FORMAT_NC1HWC0;
  }
  const Node& net_output = *graph.NetOutput();
  const auto* adjusted = net_output.attrs.FindAs<std::vector<int64_t>>(kAdjusted);
  for (size_t i = 0; adjusted != nullptr && i < adjusted->size(); ++i) {
    if ((*adjusted)[i] != 0) graph.desc(net_output.inputs[i]).origin_format = FORMAT_NC1HWC0;
  }
}

}  // namespace atc
