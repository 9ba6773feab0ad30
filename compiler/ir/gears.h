// Gears: a model that is compiled for several sets of sizes, of which a run chooses one. As GE makes it, the root holds
// the inputs with their largest shapes, an input that tells the gear, a MapIndex that finds its number, and a Case with a
// copy of the model for each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/gear_kind.h"
#include "compiler/ir/graph.h"

namespace atc {

// Nodes of the root.
inline constexpr char kGearData[] = "ascend_mbatch_shape_data";
inline constexpr char kGearConst[] = "ascend_mbatch_shape_const";
inline constexpr char kGearIndex[] = "ascend_mbatch_shape_mapindex";
inline constexpr char kGearCase[] = "ascend_mbatch_shape_case";
// What the number of the gear follows in the names of the nodes of its copy.
inline constexpr char kGearSuffix[] = "_ascend_mbatch_batch_";

// Attributes: of the inserted nodes; of the Case the kind, the number of gears, the sizes of each (with its number behind
// the name) and the inputs in the order of the sizes; of the Data of the gear; of a Data its dims with -1 where a gear
// gives the size; of the nodes of a copy "Batch_<number>", which is also the name of its graph.
inline constexpr char kGearInserted[] = "mbatch-inserted-node";
inline constexpr char kGearKind[] = "mbatch-dynamic-type";
inline constexpr char kGearCount[] = "_batch_num";
inline constexpr char kGearSizes[] = "_pred_value_";
inline constexpr char kGearOrder[] = "user_designate_shape_order";
inline constexpr char kIsGearData[] = "_is_multi_batch_shape_data";
inline constexpr char kGearDims[] = "_mbatch_origin_input_dims";
inline constexpr char kGearLabel[] = "_batch_label";

struct Gears {
  struct Gear {
    std::vector<int64_t> sizes;  // as written to the input that tells the gear
    Graph* graph = nullptr;
  };
  GearKind kind = GearKind::kNone;
  NodeId owner = kNoId;  // the Case
  std::vector<Gear> gears;

  bool empty() const { return gears.empty(); }
};

// Those of a root; empty where it has none.
Gears GearsOf(const Graph& root);
bool IsGearCase(const Node& node);

// The root, or of one with gears their copies: what is planned and run as a model of its own.
std::vector<Graph*> ModelsOf(Graph& root);

// The name that a node of a copy has in the source.
std::string_view NameWithoutGear(std::string_view name);

// "1,20; 4,40", in messages.
std::string GearsText(const std::vector<std::vector<int64_t>>& sizes);

// Shapes of the inputs of `root` under each gear, by gear and input; the input that tells the gear has its own.
std::vector<std::vector<Shape>> GearInputShapes(const Graph& root, const Gears& gears);

// The input of the owner that `data`, of a gear's copy, stands for.
uint32_t OuterInput(const Node& data);

// Of descs of one tensor under each gear the one with most bytes, the first of equals; where some shape is not known, the
// first such.
size_t LargestOf(const std::vector<const TensorDesc*>& descs);

// Gives the inputs and the Case of `root` the descs of the largest gear.
void DescribeByLargestGear(Graph& root);

}  // namespace atc
