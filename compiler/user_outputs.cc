#include "compiler/user_outputs.h"

#include <algorithm>
#include <string>

#include "compiler/ir/error.h"
#include "compiler/ir/gears.h"
#include "compiler/streams/static_parts.h"

namespace atc {

std::vector<DataType> RequestedOutputTypes(const Graph& graph, const OutputTypeOption& option) {
  const Node& net_output = *graph.NetOutput();
  std::vector<DataType> types(net_output.inputs.size(), option.all);
  for (const OutputTypeOption::Item& item : option.items) {
    bool found = false;
    std::string outputs;
    for (size_t i = 0; i < net_output.inputs.size(); ++i) {
      const Value& value = graph.value(net_output.inputs[i]);
      const std::string& node = graph.node(value.producer).name;
      outputs += (outputs.empty() ? "" : ", ") + node + ":" + std::to_string(value.index);
      if (node != item.node || static_cast<int>(value.index) != item.index) continue;
      types[i] = item.dtype;
      found = true;
    }
    if (!found) {
      throw Error("E10001", {{"value", item.node + ":" + std::to_string(item.index)},
                             {"parameter", "--output_type"},
                             {"reason", "It is no output of the model; the outputs are " + outputs + "."}});
    }
  }
  return types;
}

std::vector<std::string> OutputNames(const Graph& graph) {
  const Node& net_output = *graph.NetOutput();
  const auto* tensors = net_output.attrs.FindAs<std::vector<std::string>>("_origin_output_tensor_name");
  std::vector<std::string> names;
  for (size_t i = 0; i < net_output.inputs.size(); ++i) {
    const Value& value = graph.value(net_output.inputs[i]);
    std::string name = graph.node(value.producer).name + ":" + std::to_string(value.index);
    if (tensors && i < tensors->size()) name += ":" + (*tensors)[i];
    names.push_back(std::move(name));
  }
  return names;
}

bool HasUnknownShapes(const Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    for (const ValueId output : node.outputs) {
      const Value& value = graph.value(output);
      if (!value.desc.shape.IsKnown() && (!value.uses.empty() || node.type() == "Data")) return true;
      // What has no fixed size per element cannot be planned either.
      if (value.desc.dtype == DT_STRING || value.desc.dtype == DT_VARIANT) return true;
    }
    if (IsGearCase(node)) {
      const auto unknown = [](const Subgraph& gear) { return HasUnknownShapes(*gear.graph); };
      if (std::any_of(node.subgraphs.begin(), node.subgraphs.end(), unknown)) return true;
    } else if (!node.subgraphs.empty()) {
      return true;  // control flow runs operator by operator
    }
    if (node.attrs.Get<bool>(kForceUnknownShape, false)) return true;
  }
  return false;
}

}  // namespace atc
