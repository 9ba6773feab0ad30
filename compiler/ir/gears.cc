#include "compiler/ir/gears.h"

#include <algorithm>
#include <map>

namespace atc {
namespace {

// The sizes of a gear in place of the -1 of the inputs, by input.
std::vector<Shape> Filled(const Graph& root, const Gears& gears, const std::vector<int64_t>& sizes) {
  const std::vector<NodeId> inputs = root.Inputs();
  std::map<std::string, size_t> numbers;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node& data = root.node(inputs[i]);
    numbers[data.name] = i;
    const auto* dims = data.attrs.FindAs<std::vector<int64_t>>(kGearDims);
    shapes.push_back(dims != nullptr ? Shape(*dims) : root.desc(data.outputs[0]).origin_shape);
  }
  size_t next = 0;
  for (const std::string& name : root.node(gears.owner).attrs.Get<std::vector<std::string>>(kGearOrder, {})) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) continue;
    if (gears.kind != GearKind::kDims) next = 0;  // batch, or height and width, are those of every input
    for (int64_t& dim : shapes[found->second].dims()) {
      if (dim == kUnknownDim && next < sizes.size()) dim = sizes[next++];
    }
  }
  return shapes;
}

}  // namespace

bool IsGearCase(const Node& node) { return node.type() == "Case" && node.attrs.Has(kGearCount); }

Gears GearsOf(const Graph& root) {
  Gears gears;
  const Node* owner = root.Find(kGearCase);
  if (owner == nullptr || !IsGearCase(*owner)) return gears;
  gears.owner = owner->id;
  gears.kind = static_cast<GearKind>(owner->attrs.Get<int64_t>(kGearKind, 0));
  for (size_t i = 0; i < owner->subgraphs.size(); ++i) {
    gears.gears.push_back(
        {owner->attrs.Get<std::vector<int64_t>>(kGearSizes + std::to_string(i), {}), owner->subgraphs[i].graph.get()});
  }
  return gears;
}

std::vector<Graph*> ModelsOf(Graph& root) {
  const Gears gears = GearsOf(root);
  if (gears.empty()) return {&root};
  std::vector<Graph*> graphs;
  for (const Gears::Gear& gear : gears.gears) graphs.push_back(gear.graph);
  return graphs;
}

std::string_view NameWithoutGear(std::string_view name) { return name.substr(0, name.rfind(kGearSuffix)); }

std::string GearsText(const std::vector<std::vector<int64_t>>& sizes) {
  std::string text;
  for (const std::vector<int64_t>& gear : sizes) {
    text += text.empty() ? "" : "; ";
    for (size_t i = 0; i < gear.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(gear[i]);
  }
  return text;
}

uint32_t OuterInput(const Node& data) {
  return static_cast<uint32_t>(data.attrs.Get<int64_t>("_parent_node_index", 0));
}

std::vector<std::vector<Shape>> GearInputShapes(const Graph& root, const Gears& gears) {
  const std::vector<NodeId> inputs = root.Inputs();
  const std::vector<ValueId>& captured = root.node(gears.owner).inputs;
  std::vector<std::vector<Shape>> all;
  for (const Gears::Gear& gear : gears.gears) {
    std::vector<Shape>& shapes = all.emplace_back(Filled(root, gears, gear.sizes));
    // The copy knows best: flags may have given an input another layout.
    for (const NodeId id : gear.graph->Inputs()) {
      const Node& data = gear.graph->node(id);
      const uint32_t outer = OuterInput(data);
      if (outer >= captured.size()) continue;
      const auto input = std::find(inputs.begin(), inputs.end(), root.value(captured[outer]).producer);
      if (input != inputs.end())
        shapes[static_cast<size_t>(input - inputs.begin())] = gear.graph->desc(data.outputs[0]).origin_shape;
    }
  }
  return all;
}

size_t LargestOf(const std::vector<const TensorDesc*>& descs) {
  size_t largest = 0;
  size_t most = 0;
  for (size_t i = 0; i < descs.size(); ++i) {
    if (!descs[i]->origin_shape.IsKnown()) return i;
    const size_t bytes = DataTypeBytes(descs[i]->dtype, descs[i]->origin_shape.NumElements());
    if (i > 0 && bytes <= most) continue;
    most = bytes;
    largest = i;
  }
  return largest;
}

void DescribeByLargestGear(Graph& root) {
  const Gears gears = GearsOf(root);
  if (gears.empty()) return;
  const Node& owner = root.node(gears.owner);
  std::vector<std::vector<const TensorDesc*>> inputs(owner.inputs.size()), outputs(owner.outputs.size());
  for (const Gears::Gear& gear : gears.gears) {
    for (const NodeId id : gear.graph->Inputs()) {
      const Node& data = gear.graph->node(id);
      if (OuterInput(data) < inputs.size()) inputs[OuterInput(data)].push_back(&gear.graph->desc(data.outputs[0]));
    }
    const std::vector<ValueId>& results = gear.graph->NetOutput()->inputs;
    for (size_t i = 0; i < std::min(results.size(), outputs.size()); ++i)
      outputs[i].push_back(&gear.graph->desc(results[i]));
  }
  const auto describe = [&](ValueId value, const std::vector<const TensorDesc*>& descs) {
    if (descs.empty()) return;
    TensorDesc desc = *descs[LargestOf(descs)];
    // Outside of the copies tensors lie as the user sees them.
    desc.SetShape(desc.origin_shape);
    desc.format = desc.origin_format;
    root.desc(value) = std::move(desc);
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (root.producer(owner.inputs[i]).type() == "Data") describe(owner.inputs[i], inputs[i]);
  }
  for (size_t i = 0; i < outputs.size(); ++i) describe(owner.outputs[i], outputs[i]);
}

}  // namespace atc
