#include "compiler/interface_layout.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "compiler/ir/error.h"
#include "compiler/ir/fault_list.h"
#include "compiler/ir/gears.h"
#include "compiler/ir/nearest_names.h"
#include "compiler/storage_view.h"

namespace atc {
namespace {

constexpr int64_t kBlock = 16;  // channels of a block of fp16

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

ValueId AddCast(const ViewPlace& place, ValueId value, DataType to) {
  Node& cast = place.graph.Add("Cast", place.name + "_Cast", {value}, 1);
  cast.origin = place.origin;
  cast.Because("dtype", "the user's type of " + place.name);
  cast.attrs.Set("dst_type", static_cast<int64_t>(to));
  return cast.outputs[0];
}

void CheckBlockable(const TensorDesc& desc, const std::string& name, const char* flag) {
  const Shape& shape = desc.origin_shape;
  if (!shape.HasRank() || shape.rank() != 4) {
    throw Error("E10001",
                {{"value", "true"},
                 {"parameter", std::string("--") + flag},
                 {"reason", "'" + name + "' has the shape " + ToString(shape) + "; NC1HWC0 is for four dims."}});
  }
  if (!shape.IsKnown()) {
    throw Error(
        "E10055",
        {{"reason", "--" + std::string(flag) + " of '" + name + "', whose shape " + ToString(shape) + " is open"}},
        "Fix the shape with --input_shape.");
  }
}

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
  data.Because("dtype", "--input_fp16_nodes: DT_FLOAT16");
  const ViewPlace place{graph, data.name, data.origin};
  ValueId value = data.outputs[0];
  if (layout) {
    const Shape blocked = StorageShape(FORMAT_NC1HWC0, FORMAT_NCHW, nchw, kBlock);
    desc = TensorDesc(DT_FLOAT16, blocked);
    data.attrs.Set(kInterfaceFormatAttr, int64_t{FORMAT_NC1HWC0});
    value = FromStorage(place, value, FORMAT_NC1HWC0, blocked, FORMAT_NCHW, nchw);
  }
  if (wanted != DT_FLOAT16) value = AddCast(place, value, wanted);
  if (value == data.outputs[0]) return;
  for (const Use& use : uses) graph.SetInput(graph.node(use.node), use.input, value);
}

Node& InputNamed(Graph& graph, const std::string& name) {
  const std::vector<NodeId> inputs = graph.Inputs();
  return graph.node(*std::find_if(inputs.begin(), inputs.end(), [&](NodeId id) {
    return graph.node(id).name == name || NameWithoutGear(graph.node(id).name) == name;
  }));
}

bool AdjustInputs(Graph& graph, const CompileOptions& options) {
  const std::vector<std::string> names = Split(options.GeOption("ge.INPUT_NODES_SET_FP16"), ';');
  const std::vector<std::string> layouts = Split(options.GeOption("is_input_adjust_hw_layout"), ',');
  for (size_t i = 0; i < names.size(); ++i) {
    AdjustInput(graph, InputNamed(graph, names[i]), i < layouts.size() && layouts[i] == "true");
  }
  return !names.empty();
}

void AdjustOutput(Graph& graph, Node& net_output, uint32_t index) {
  const ValueId original = net_output.inputs[index];
  const Node& producer = graph.producer(original);
  const TensorDesc desc = graph.desc(original);
  CheckBlockable(desc, producer.name, "is_output_adjust_hw_layout");
  const Shape nchw = desc.origin_shape;
  const ViewPlace place{graph, producer.name + "_out" + std::to_string(index), producer.origin};
  const ValueId value = desc.dtype == DT_FLOAT16 ? original : AddCast(place, original, DT_FLOAT16);
  const Shape blocked = StorageShape(FORMAT_NC1HWC0, FORMAT_NCHW, nchw, kBlock);
  graph.SetInput(net_output, index, ToStorage(place, value, FORMAT_NC1HWC0, blocked, FORMAT_NCHW, nchw));
}

// The flag with the nearest input in place of each name that is none; empty where that mends nothing or is not certain.
std::string Corrected(std::vector<std::string> names, const std::vector<std::string_view>& inputs) {
  std::string flag;
  for (std::string& name : names) {
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) {
      const std::vector<std::string_view> near = NearestNames(name, inputs);
      if (near.size() != 1 || std::find(names.begin(), names.end(), near[0]) != names.end()) return "";
      name = near[0];
    }
    flag += (flag.empty() ? "" : ";") + name;
  }
  return "Write --input_fp16_nodes=\"" + flag + "\".";
}

}  // namespace

void CheckInterface(const Graph& graph, const CompileOptions& options) {
  const std::vector<std::string> names = Split(options.GeOption("ge.INPUT_NODES_SET_FP16"), ';');
  std::vector<std::string_view> inputs;
  std::string all;
  for (const NodeId id : graph.Inputs()) {
    inputs.push_back(graph.node(id).name);
    all += (all.empty() ? "" : ", ") + graph.node(id).name;
  }
  FaultList missing, others;
  for (const std::string& name : names) {
    if (std::find(inputs.begin(), inputs.end(), name) != inputs.end()) continue;
    const bool known = graph.Find(name) != nullptr;
    const std::string hint = known ? "" : DidYouMean(name, inputs);
    std::string cure;
    for (const std::string& part : {hint, Corrected(names, inputs), "The inputs of the model are: " + all + "."}) {
      if (!part.empty()) cure += (cure.empty() ? "" : " ") + part;
    }
    (known ? others : missing)
        .Add(Error(known ? "E10017" : "E10016", {{"opname", name}, {"parameter", "input_fp16_nodes"}}, cure),
             "--input_fp16_nodes also names '" + name + "'." + (hint.empty() ? "" : " " + hint));
  }
  missing.ThrowIfAny();
  others.ThrowIfAny();
}

bool AdjustInterface(Graph& graph, const CompileOptions& options, std::vector<DataType>* output_types) {
  const bool changed = AdjustInputs(graph, options);
  const std::vector<std::string> layouts = Split(options.GeOption("is_output_adjust_hw_layout"), ',');
  if (std::find(layouts.begin(), layouts.end(), "true") == layouts.end()) return changed;
  Node& net_output = *graph.NetOutput();
  std::vector<int64_t> formats(net_output.inputs.size(), FORMAT_UNDEFINED);
  for (uint32_t i = 0; i < net_output.inputs.size() && i < layouts.size(); ++i) {
    if (layouts[i] != "true") continue;
    AdjustOutput(graph, net_output, i);
    formats[i] = FORMAT_NC1HWC0;
    if (i < output_types->size()) (*output_types)[i] = DT_UNDEFINED;
  }
  net_output.attrs.Set(kInterfaceFormatAttr, std::move(formats));
  return true;
}

void SetInterfaceFormats(Graph& graph) {
  for (const NodeId id : graph.Inputs()) {
    const Node& data = graph.node(id);
    const auto* format = data.attrs.FindAs<int64_t>(kInterfaceFormatAttr);
    if (format != nullptr) graph.desc(data.outputs[0]).origin_format = static_cast<Format>(*format);
  }
  const Node* net_output = graph.NetOutput();
  const auto* formats = net_output->attrs.FindAs<std::vector<int64_t>>(kInterfaceFormatAttr);
  for (size_t i = 0; formats != nullptr && i < formats->size(); ++i) {
    if ((*formats)[i] != FORMAT_UNDEFINED) {
      graph.desc(net_output->inputs[i]).origin_format = static_cast<Format>((*formats)[i]);
    }
  }
}

}  // namespace atc
