// The graph as the om's messages: shared by the om and the dumps.
#pragma once

#include "compiler/om/graph_list.h"
#include "compiler/om/weight_layout.h"

namespace openatc::ge {
class GraphDef;
class ModelDef;
class OpDef;
}  // namespace openatc::ge

namespace atc {

class ExternalWeights;

struct GraphProtoOptions {
  // Constants have an offset in WEIGHTS_DATA; null: their elements stand in the message.
  const WeightLayout* weights = nullptr;
  // What `weights` places lies in these files: a constant is a FileConstant that names its own.
  const ExternalWeights* external = nullptr;
  // Leave out the values of constants and the attributes that hold whole definitions, as dumps without data do.
  bool drop_values = false;
};

// One operator of a listed graph, with names, wiring, placement, both descs of every port, attributes.
void ToProto(const GraphList& graphs, const ListedGraph& listed, const Node& node, const GraphProtoOptions& options,
             openatc::ge::OpDef* to);
// What a graph has beside its operators: name, inputs and outputs, which come before them in a message, and attributes,
// which come after.
void GraphFieldsToProto(const ListedGraph& listed, openatc::ge::GraphDef* before, openatc::ge::GraphDef* after);
// All graphs of the list, flat.
void ToProto(const GraphList& graphs, const GraphProtoOptions& options, openatc::ge::ModelDef* to);

// Attributes of an operator that are made when writing and hold nothing that the graph does not: the reader leaves
// them out.
bool IsDerivedOpAttr(std::string_view name);

// The type of a constant whose bytes lie in a file beside the om.
inline constexpr char kFileConstant[] = "FileConstant";

// Attributes of an operator that hold fields of Node.
inline constexpr char kOriginsAttr[] = "_datadump_original_op_names";  // origins, in the order of kOriginOrderAttr
inline constexpr char kEngineAttr[] = "_ge_attr_op_kernel_lib_name";
inline constexpr char kReasonsAttr[] = "_reasons";               // "aspect: rule" each
inline constexpr char kFusedAttr[] = "_fused_graph";             // name of the graph that the node stands for
inline constexpr char kSubgraphNamesAttr[] = "_subgraph_names";  // names of the owned graphs in their owner
// Of a Const or FileConstant whose value repeats along axes and is stored once: the dims that it is broadcast to.
inline constexpr char kSpreadAttr[] = "_broadcast_shape";
// Of the main graph: all origins in the order of the source.
inline constexpr char kOriginOrderAttr[] = "_origin_order";

}  // namespace atc
