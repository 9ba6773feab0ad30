#include "compiler/clone_gears.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "compiler/ir/error.h"
#include "compiler/ir/gears.h"

namespace atc {
namespace {

constexpr std::string_view kLabel = "Batch_";

// "1,4,8" are gears of one size, "1,2;3,4" of two.
std::vector<std::vector<int64_t>> SizesOf(const std::string& text, GearKind kind) {
  const char of_gears = kind == GearKind::kBatch ? ',' : ';';
  std::vector<std::vector<int64_t>> gears;
  for (std::istringstream all(text), one; all.good();) {
    std::string part, number;
    std::getline(all, part, of_gears);
    if (part.find_first_not_of(' ') == std::string::npos) continue;
    gears.emplace_back();
    one = std::istringstream(part);
    while (std::getline(one, number, ',')) gears.back().push_back(std::strtoll(number.c_str(), nullptr, 10));
  }
  return gears;
}

bool IsOpen(int64_t dim) { return dim == kUnknownDim; }

// The inputs with open dims, in the order of --input_shape.
std::vector<NodeId> OpenInputs(const Graph& root, const CompileOptions& options) {
  const std::vector<NodeId> inputs = root.Inputs();
  const auto place = [&](NodeId id) {
    const auto& shapes = options.input_shapes;
    const std::string& name = root.node(id).name;
    const auto named = [&](const InputShapeOption& shape) {
      return shape.name == name || shape.name.substr(0, shape.name.rfind(':')) == name;
    };
    return options.input_shapes_by_position ? shapes.begin() : std::find_if(shapes.begin(), shapes.end(), named);
  };
  std::vector<NodeId> open;
  for (const NodeId id : inputs) {
    const Shape& shape = root.desc(root.node(id).outputs[0]).origin_shape;
    if (shape.HasRank() && std::any_of(shape.dims().begin(), shape.dims().end(), IsOpen)) open.push_back(id);
  }
  std::stable_sort(open.begin(), open.end(), [&](NodeId a, NodeId b) { return place(a) < place(b); });
  return open;
}

void CheckSizes(const Graph& root, const std::vector<NodeId>& open, const GearOptions& gears) {
  size_t all = 0;
  for (const NodeId id : open) {
    const std::vector<int64_t>& dims = root.desc(root.node(id).outputs[0]).origin_shape.dims();
    const auto count = static_cast<size_t>(std::count_if(dims.begin(), dims.end(), IsOpen));
    all = gears.kind == GearKind::kDims ? all + count : std::max(all, count);
  }
  for (const std::vector<int64_t>& sizes : gears.sizes) {
    if (sizes.size() == all) continue;
    throw Error("E10001", {{"value", GearsText({sizes})},
                           {"parameter", "gears"},
                           {"reason", "A gear has " + std::to_string(sizes.size()) + " sizes, the inputs have " +
                                          std::to_string(all) + " open dims."}});
  }
}

// Names are those of the whole model, and messages and dumps tell copies apart by them.
void Rename(Graph& graph, const std::string& suffix) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    graph.Rename(node, node.name + suffix);
    for (const Subgraph& nested : node.subgraphs) {
      nested.graph->name += suffix;
      Rename(*nested.graph, suffix);
    }
  }
}

// Leaves the Data nodes and the NetOutput.
void RemoveBody(Graph& root) {
  const std::vector<NodeId> order = root.TopologicalOrder();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node& node = root.node(*id);
    if (node.type() != "Data" && node.type() != "NetOutput" && !node.attrs.Has(kGearInserted)) root.Remove(*id);
  }
}

class Cloner {
 public:
  Cloner(Graph& root, const CompileOptions& options)
      : root_(root),
        gears_(GearOptionsOf(options)),
        inputs_(root.Inputs()),
        open_(OpenInputs(root, options)),
        shapes_(SourceGearShapes(root, options)) {}

  Node& Run() {
    std::unique_ptr<Graph> body = root_.Clone();
    for (const NodeId id : open_) {
      Node& data = root_.node(id);
      data.attrs.Set(kGearDims, root_.desc(data.outputs[0]).origin_shape.dims());
    }
    Node& owner = AddOwner();
    Node& net_output = *root_.NetOutput();
    for (uint32_t i = 0; i < net_output.inputs.size(); ++i) {
      root_.desc(owner.outputs[i]) = root_.desc(net_output.inputs[i]);
      root_.SetInput(net_output, i, owner.outputs[i]);
    }
    RemoveBody(root_);
    for (size_t i = 0; i < gears_.sizes.size(); ++i) {
      const bool last = i + 1 == gears_.sizes.size();
      AddCopy(owner, i, last ? std::move(body) : body->Clone());
    }
    DescribeByLargestGear(root_);
    return root_.node(owner.id);
  }

 private:
  Node& AddOwner() {
    const auto count = static_cast<int64_t>(gears_.sizes.size()), length = static_cast<int64_t>(gears_.sizes[0].size());
    const ValueId chosen =
        root_.AddData(kGearData, static_cast<int64_t>(inputs_.size()), TensorDesc(DT_INT32, {length}));
    root_.producer(chosen).attrs.Set(kIsGearData, true);
    std::vector<int32_t> flat;
    for (const std::vector<int64_t>& sizes : gears_.sizes) flat.insert(flat.end(), sizes.begin(), sizes.end());
    const ValueId all = root_.AddConst(kGearConst, Tensor::From<int32_t>(DT_INT32, {count * length}, flat));
    Node& index = root_.Add("MapIndex", kGearIndex, {chosen, all}, 1);
    root_.desc(index.outputs[0]) = TensorDesc(DT_INT32, Shape{});
    std::vector<ValueId> captured = {index.outputs[0]};
    for (const NodeId id : inputs_) captured.push_back(root_.node(id).outputs[0]);
    Node& owner = root_.Add("Case", kGearCase, captured, root_.NetOutput()->inputs.size());
    for (const NodeId id : {root_.value(chosen).producer, root_.value(all).producer, index.id, owner.id}) {
      Node& node = root_.node(id);
      node.attrs.Set(kGearInserted, true);
      node.origin = root_.NetOutput()->origin;
    }
    owner.attrs.Set(kGearCount, count);
    owner.attrs.Set(kGearKind, static_cast<int64_t>(gears_.kind));
    for (size_t i = 0; i < gears_.sizes.size(); ++i) owner.attrs.Set(kGearSizes + std::to_string(i), gears_.sizes[i]);
    std::vector<std::string> order;
    for (const NodeId id : open_) order.push_back(root_.node(id).name);
    owner.attrs.Set(kGearOrder, std::move(order));
    return owner;
  }

  void AddCopy(Node& owner, size_t number, std::unique_ptr<Graph> copy) {
    copy->name = std::string(kLabel) + std::to_string(number);
    copy->attrs.Set(kGearLabel, copy->name);
    copy->parent_graph = &root_;
    copy->parent_node = owner.id;
    int64_t outer = 1;  // behind the number of the gear
    for (const NodeId id : copy->Inputs()) copy->node(id).attrs.Set("_parent_node_index", outer++);
    Rename(*copy, kGearSuffix + std::to_string(number));
    Fix(*copy, shapes_[number]);
    owner.subgraphs.push_back({"branches" + std::to_string(number), std::move(copy)});
  }

  void Fix(Graph& copy, const std::vector<Shape>& shapes) const {
    const std::vector<NodeId> data = copy.Inputs();
    for (size_t i = 0; i < data.size(); ++i) {
      TensorDesc& desc = copy.desc(copy.node(data[i]).outputs[0]);
      desc.SetShape(shapes[i]);
      desc.ranges.clear();
      desc.symbols.clear();
    }
  }

  Graph& root_;
  const GearOptions gears_;
  const std::vector<NodeId> inputs_;
  const std::vector<NodeId> open_;
  const std::vector<std::vector<Shape>> shapes_;
};

}  // namespace

GearOptions GearOptionsOf(const CompileOptions& options) {
  constexpr const char* kKeys[] = {"ge.dynamicBatchSize", "ge.dynamicImageSize", "ge.dynamicDims"};
  GearOptions gears;
  for (int64_t i = 0; i < static_cast<int64_t>(std::size(kKeys)); ++i) {
    const std::string text = options.GeOption(kKeys[i]);
    if (text.empty()) continue;
    gears.kind = static_cast<GearKind>(i + 1);
    gears.sizes = SizesOf(text, gears.kind);
  }
  return gears;
}

std::vector<std::vector<Shape>> SourceGearShapes(const Graph& source, const CompileOptions& options) {
  const GearOptions gears = GearOptionsOf(options);
  const std::vector<NodeId> open = OpenInputs(source, options);
  CheckSizes(source, open, gears);
  std::vector<std::vector<Shape>> all;
  for (const std::vector<int64_t>& sizes : gears.sizes) {
    std::map<NodeId, Shape> filled;
    size_t next = 0;
    for (const NodeId id : open) {
      if (gears.kind != GearKind::kDims) next = 0;  // batch, or height and width, are those of every input
      Shape& shape = filled[id] = source.desc(source.node(id).outputs[0]).origin_shape;
      for (int64_t& dim : shape.dims()) {
        if (IsOpen(dim)) dim = sizes[next++];
      }
    }
    std::vector<Shape>& shapes = all.emplace_back();
    for (const NodeId id : source.Inputs()) {
      shapes.push_back(filled.contains(id) ? filled[id] : source.desc(source.node(id).outputs[0]).origin_shape);
    }
  }
  return all;
}

void CloneGears(Graph& root, const CompileOptions& options, Journal& journal) {
  if (GearOptionsOf(options).kind == GearKind::kNone) return;
  journal.EnterPass("MultiBatchClonePass");
  journal.Require("a copy for each gear", {root.NetOutput()});
  journal.Made(Cloner(root, options).Run());
}

bool AddGearLabels(Graph& root) {
  const Gears gears = GearsOf(root);
  for (const Gears::Gear& gear : gears.gears) {
    const auto label = gear.graph->attrs.Get<std::string>(kGearLabel, "");
    const std::string suffix = kGearSuffix + label.substr(kLabel.size());
    for (NodeId id = 0; id < gear.graph->node_capacity(); ++id) {
      Node& node = gear.graph->node(id);
      if (!node.alive) continue;
      node.attrs.Set(kGearLabel, label);
      if (!node.name.ends_with(suffix)) gear.graph->Rename(node, node.name + suffix);
    }
  }
  return !gears.empty();
}

}  // namespace atc
