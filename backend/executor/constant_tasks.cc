#include "backend/executor/constant_tasks.h"

#include <algorithm>

#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/device_slot.h"
#include "compiler/ops/evaluator.h"
#include "compiler/plan/parts.h"

namespace atc {
namespace {

// Results must lie as the origin view says: those in private layouts stay tasks.
bool IsPlain(const Graph& graph, ValueId value) {
  const TensorDesc& desc = graph.desc(value);
  return !IsBlocked(desc.format) && !HoldsChannelsLast(graph, value) && desc.shape == desc.origin_shape && desc.shape.IsKnown() &&
         desc.dtype != DT_STRING && desc.dtype != DT_VARIANT && desc.dtype != DT_UNDEFINED;
}

// Whether tasks alone read it, or the model gives it away, or another shape of it that they read: what has it as a part
// lies where it is planned and not where a constant is.
bool LiesAnywhere(const Graph& graph, ValueId value) {
  if (!IsPlain(graph, value)) return false;
  const auto& uses = graph.value(value).uses;
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
    const Node& user = graph.node(use.node);
    if (user.stream >= 0 || user.type() == "NetOutput") return true;
    return AliasesInput(graph, user) && use.input == 0 && LiesAnywhere(graph, user.outputs[0]);
  });
}

// Other shapes of a constant are constants.
void ShareWithAliases(const Graph& graph, ValueId value, std::vector<Tensor>& constants, std::vector<bool>& done) {
  for (const Use& use : graph.value(value).uses) {
    const Node& user = graph.node(use.node);
    if (user.stream >= 0 || user.type() == "NetOutput") continue;
    const ValueId alias = user.outputs[0];
    constants[alias] = constants[value].Reshaped(graph.desc(alias).origin_shape);
    done[user.id] = true;
    ShareWithAliases(graph, alias, constants, done);
  }
}

bool IsConstant(const Graph& graph, const Node& node, const std::vector<Tensor>& constants) {
  if (node.outputs.empty() || node.Is(kStateful) || !node.subgraphs.empty() || node.def->kernel == nullptr) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId input) { return input == kNoId || constants[input].defined(); }) &&
         std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) { return LiesAnywhere(graph, output); });
}

}  // namespace

std::vector<bool> RunConstantTasks(const Graph& graph, const std::vector<Task>& tasks, std::vector<Tensor>& constants) {
  std::vector<bool> done(graph.node_capacity(), false);
  for (const Task& task : tasks) {
    if (task.type != TaskType::kKernel) continue;
    const Node& node = graph.node(task.op_index);
    if (done[node.id] || !IsConstant(graph, node, constants)) continue;
    std::vector<Tensor> inputs;
    for (const ValueId input : node.inputs) {
      if (input != kNoId) constants[input] = constants[input].Materialized();
      inputs.push_back(input == kNoId ? Tensor() : constants[input]);
    }
    std::vector<DataType> types;
    for (const ValueId output : node.outputs) types.push_back(graph.desc(output).dtype);
    std::vector<Tensor> results = RunReferenceKernel(node, std::move(inputs), {}, std::move(types));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      constants[node.outputs[i]] = std::move(results[i]);
      ShareWithAliases(graph, node.outputs[i], constants, done);
    }
    done[node.id] = true;
  }
  return done;
}

}  // namespace atc
