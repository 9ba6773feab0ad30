#include "compiler/passes/bias_fusion.h"

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/data_format.h"

namespace atc {
namespace {

struct BiasPort {
  const char* type;
  uint32_t port;
  bool channels_first;  // bias runs along axis 1 of the output (unless its data_format says otherwise), else the last
};

constexpr BiasPort kPorts[] = {
    {"BatchMatMulV2", 2, false}, {"Conv2D", 2, true},          {"Conv2DTranspose", 3, true},
    {"Conv3D", 2, true},         {"Conv3DTranspose", 3, true}, {"MatMulV2", 2, false},
};

// Whether `constant`, broadcast to `output`, differs along `axis` alone and has every element of it.
bool RunsAlong(const Shape& constant, const Shape& output, size_t axis) {
  if (!output.HasRank() || constant.rank() > output.rank() || output[axis] < 1) return false;
  for (size_t i = 0; i < constant.rank(); ++i) {
    const size_t at = i + output.rank() - constant.rank();
    if (constant[i] != (at == axis ? output[axis] : 1)) return false;
  }
  return constant.rank() + axis >= output.rank();  // the axis is among those of the constant
}

bool Fuse(Graph& graph, PassContext& context, Node& add) {
  if (add.inputs.size() != 2) return false;
  for (uint32_t side = 0; side < 2; ++side) {
    const Tensor* constant = graph.ConstantInput(add, 1 - side);
    if (constant == nullptr || !(constant->dtype() == DT_FLOAT || IsHalf(constant->dtype()))) continue;
    Node& heavy = graph.producer(add.inputs[side]);
    const BiasPort* port = nullptr;
    for (const BiasPort& candidate : kPorts) {
      if (heavy.type() == candidate.type) port = &candidate;
    }
    if (port == nullptr || heavy.fused || graph.value(heavy.outputs[0]).uses.size() != 1) continue;
    if (StreamLabelOf(heavy) != StreamLabelOf(add) || HasUserDtype(heavy) || HasUserDtype(add)) continue;
    if (heavy.inputs.size() > port->port && heavy.inputs[port->port] != kNoId) continue;
    const TensorDesc& output = graph.desc(heavy.outputs[0]);
    if (!output.origin_shape.HasRank() || output.origin_shape.rank() < 2) continue;
    const bool first = port->channels_first && !IsChannelsLast(heavy);
    const size_t axis = first ? 1 : output.origin_shape.rank() - 1;
    if (output.dtype != constant->dtype() || !RunsAlong(constant->shape(), output.origin_shape, axis)) continue;
    if (!context.journal.Allow(heavy.type().str() + " + Add", {&heavy, &add})) return false;
    const OriginId origin = graph.origins().Union(heavy.origin, add.origin);
    Tensor bias = constant->Reshaped({constant->NumElements()});
    while (heavy.inputs.size() <= port->port) graph.AddInput(heavy, kNoId);
    graph.SetInput(heavy, port->port, graph.AddConst(heavy.name + "_bias", std::move(bias), origin));
    heavy.origin = origin;
    heavy.Because("fusion", "BiasaddFusionPass: took in " + add.name);
    context.journal.Made(heavy);
    graph.ReplaceUses(add.outputs[0], heavy.outputs[0]);
    graph.Remove(add.id);
    return true;
  }
  return false;
}

}  // namespace

bool BiasaddFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "Add") changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
