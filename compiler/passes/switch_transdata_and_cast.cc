#include "compiler/passes/switch_transdata_and_cast.h"

#include <string>
#include <vector>

#include "compiler/ir/form.h"
#include "compiler/passes/trans_op.h"

namespace atc {
namespace {

// Of a tensor like this in another type.
int64_t Bytes(const TensorDesc& desc, DataType dtype) {
  const int64_t elements = desc.shape.IsKnown() ? desc.shape.NumElements() : 1;
  return static_cast<int64_t>(DataTypeBytes(dtype, elements));
}

// The blocks of both types are of one size.
bool IsSmallerSwitched(const TensorDesc& source, const TensorDesc& between, const TensorDesc& result) {
  return FormOf(source) == FormOf(between) && SameBlocks(source.dtype, result.dtype) &&
         Bytes(result, source.dtype) < Bytes(between, between.dtype);
}

}  // namespace

bool SwitchTransDataAndCastPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : FreeCasts(graph)) {
    Node& cast = graph.node(id);
    if (graph.value(cast.outputs[0]).uses.size() != 1) continue;
    Node& trans = graph.node(graph.value(cast.outputs[0]).uses[0].node);
    if (!IsFreeTransData(trans)) continue;
    const ValueId source = cast.inputs[0], between = cast.outputs[0], result = trans.outputs[0];
    if (!IsSmallerSwitched(graph.desc(source), graph.desc(between), graph.desc(result))) continue;
    if (!context.journal.Allow("TransData before Cast", {&cast, &trans})) continue;
    const std::vector<Use> readers = graph.value(result).uses;
    graph.SetInput(trans, 0, source);
    graph.SetInput(cast, 0, result);
    graph.desc(between) = graph.desc(result);
    graph.desc(result).dtype = graph.desc(source).dtype;
    for (const Use& use : readers) graph.SetInput(graph.node(use.node), use.input, between);
    std::erase_if(cast.reasons, [](const Reason& reason) { return reason.aspect == "format"; });
    cast.Because("format", std::string(FormatName(graph.desc(between).format)) + ": behind " + trans.name +
                               ", which moves fewer bytes so");
    context.journal.Made(trans);
    context.journal.Made(cast);
    changed = true;
  }
  return changed;
}

}  // namespace atc
