#include "compiler/ops/evaluator.h"

#include <algorithm>

#include "compiler/ir/error.h"
#include "compiler/ir/half.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ops/adapted_types.h"
#include "compiler/ops/quantized_product.h"

namespace atc {
namespace {

// The half type among the inputs, DT_UNDEFINED if none.
DataType HalfAmong(const std::vector<Tensor>& inputs) {
  for (const Tensor& tensor : inputs) {
    if (tensor.defined() && IsHalf(tensor.dtype())) return tensor.dtype();
  }
  return DT_UNDEFINED;
}

// Names the node in errors of helpers, which do not know it.
void CallKernel(const Node& node, KernelContext& context) {
  try {
    node.def->kernel(context);
  } catch (Error& error) {
    if (error.diagnostic().context.empty()) error.At("node '" + node.name + "' (" + node.type().str() + ")");
    throw;
  }
}

// Types of the outputs by inference where `types` does not say.
void CompleteTypes(const Node& node, const std::vector<Tensor>& inputs, std::vector<DataType>& types) {
  types.resize(node.outputs.size(), DT_UNDEFINED);
  if (std::find(types.begin(), types.end(), DT_UNDEFINED) == types.end() || node.def->infer == nullptr) return;
  std::vector<TensorDesc> descs;
  std::vector<InferContext::Known> known;
  for (const Tensor& tensor : inputs) {
    descs.push_back(tensor.defined() ? TensorDesc(tensor.dtype(), tensor.shape()) : TensorDesc());
    known.push_back({tensor.defined() ? &tensor : nullptr, nullptr});
  }
  InferContext context(node, descs, known);
  node.def->infer(context);
  const std::vector<TensorDesc> inferred = context.TakeOutputs();
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == DT_UNDEFINED) types[i] = inferred[i].dtype;
  }
}

// What was computed in float goes to the half type that it has and, with planned memory, to its place.
void Settle(std::vector<Tensor>& outputs, const std::vector<DataType>& types,
            const KernelContext::Allocator& allocate) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) continue;
    if (i < types.size() && IsHalf(types[i]) && outputs[i].dtype() == DT_FLOAT) {
      outputs[i] = Narrow(outputs[i], types[i]);
    }
    if (!allocate) continue;
    Tensor placed = allocate(i, outputs[i].dtype(), outputs[i].shape());
    std::copy_n(outputs[i].Data(), outputs[i].NumBytes(), placed.MutableData());
    outputs[i] = placed;
  }
}

}  // namespace

Tensor Widen(const Tensor& tensor) {
  if (!tensor.defined() || !IsHalf(tensor.dtype())) return tensor;
  Tensor wide = Tensor::Allocate(DT_FLOAT, tensor.shape());
  const auto convert = tensor.dtype() == DT_FLOAT16 ? HalfToFloat : BFloat16ToFloat;
  std::transform(tensor.Data<uint16_t>(), tensor.Data<uint16_t>() + tensor.NumElements(), wide.MutableData<float>(),
                 convert);
  return wide;
}

Tensor Narrow(const Tensor& tensor, DataType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  assert(tensor.dtype() == DT_FLOAT && IsHalf(dtype));
  Tensor narrow = Tensor::Allocate(dtype, tensor.shape());
  const auto convert = dtype == DT_FLOAT16 ? FloatToHalf : FloatToBFloat16;
  std::transform(tensor.Data<float>(), tensor.Data<float>() + tensor.NumElements(), narrow.MutableData<uint16_t>(),
                 convert);
  return narrow;
}

std::vector<Tensor> RunReferenceKernel(const Node& node, std::vector<Tensor> inputs, KernelContext::Allocator allocate,
                                       std::vector<DataType> types, KernelContext::Kept* kept, NodeRunner* runner) {
  const auto run_graph = [runner](const Graph& graph, std::vector<Tensor> tensors) {
    if (runner != nullptr) {
      if (std::optional<std::vector<Tensor>> results = runner->RunGraph(graph, tensors)) return std::move(*results);
    }
    EvaluateOptions options;
    options.runner = runner;
    return Evaluate(graph, std::move(tensors), options);
  };
  if (node.fused) {
    // All float tensors of a fused node that was lowered have one type.
    types.resize(node.outputs.size(), DT_UNDEFINED);
    for (DataType& type : types) type = type == DT_UNDEFINED ? HalfAmong(inputs) : type;
    for (Tensor& tensor : inputs) tensor = Widen(tensor);
    EvaluateOptions options;
    if (const QuantizedProduct product = FindQuantizedProduct(node); product.heavy != nullptr) {
      options.given = product.heavy;
      options.given_result = Multiply(product, inputs);
    }
    std::vector<Tensor> outputs = Evaluate(*node.fused, std::move(inputs), options);
    Settle(outputs, types, allocate);
    return outputs;
  }
  if (node.def->kernel == nullptr) {
    Error error = Error::Internal("operator " + node.type().str() + " has no kernel");
    throw error.At("node '" + node.name + "'");
  }
  const auto run_plain = [&](std::vector<Tensor> tensors) {
    KernelContext context(node, std::move(tensors), {}, run_graph);
    context.KeepIn(kept);
    CallKernel(node, context);
    return context.TakeOutputs();
  };
  if (std::optional<std::vector<Tensor>> outputs = RunAdapted(node, inputs, run_plain)) {
    Settle(*outputs, {}, allocate);
    return std::move(*outputs);
  }
  // Floats may become halves too, where the type of a result was asked for.
  const bool halves = HalfAmong(inputs) != DT_UNDEFINED || std::any_of(types.begin(), types.end(), IsHalf);
  if (!node.Is(kWidenHalf) || !halves) {
    KernelContext context(node, std::move(inputs), std::move(allocate), run_graph);
    context.KeepIn(kept);
    CallKernel(node, context);
    return context.TakeOutputs();
  }
  CompleteTypes(node, inputs, types);
  for (Tensor& tensor : inputs) tensor = Widen(tensor);
  std::vector<Tensor> outputs = run_plain(std::move(inputs));
  Settle(outputs, types, allocate);
  return outputs;
}

EvaluationOrder::EvaluationOrder(const Graph& graph)
    : nodes(graph.TopologicalOrder()), inputs(graph.Inputs()), reads(graph.value_capacity(), 0) {
  for (const NodeId id : nodes) {
    for (const ValueId input : graph.node(id).inputs) {
      if (input != kNoId) ++reads[input];
    }
  }
}

std::vector<Tensor> Evaluate(const Graph& graph, std::vector<Tensor> inputs, const EvaluateOptions& options) {
  if (options.kept != nullptr) options.kept->resize(graph.node_capacity());
  std::vector<Tensor> values(graph.value_capacity());
  std::optional<EvaluationOrder> own;
  if (options.runner == nullptr) own.emplace(graph);
  const EvaluationOrder& order = own ? *own : options.runner->OrderOf(graph);
  std::vector<uint32_t> uses_left = order.reads;
  const std::vector<NodeId>& data = order.inputs;
  if (inputs.size() != data.size()) {
    throw Error::Internal("graph '" + graph.name + "' takes " + std::to_string(data.size()) + " inputs, " +
                          std::to_string(inputs.size()) + " were given");
  }
  for (size_t i = 0; i < data.size(); ++i) values[graph.node(data[i]).outputs[0]] = std::move(inputs[i]);

  std::vector<Tensor> results;
  for (const NodeId id : order.nodes) {
    const Node& node = graph.node(id);
    if (node.type() == "Data") continue;
    if (const Tensor* constant = node.type() == "Const" ? node.attrs.FindAs<Tensor>("value") : nullptr) {
      values[node.outputs[0]] = constant->Materialized();
      continue;
    }
    std::vector<Tensor> arguments;
    arguments.reserve(node.inputs.size());
    for (const ValueId input : node.inputs) arguments.push_back(input == kNoId ? Tensor() : values[input]);
    for (const ValueId input : node.inputs) {
      if (input != kNoId && --uses_left[input] == 0) values[input] = Tensor();
    }
    if (node.type() == "NetOutput") {
      results = std::move(arguments);
      continue;
    }
    if (node.outputs.empty()) continue;  // Send, Recv, NoOp: order alone
    std::vector<Tensor> outputs;
    std::optional<std::vector<Tensor>> ran;
    if (options.runner != nullptr) ran = options.runner->Run(graph, node, arguments);
    if (&node == options.given) {
      outputs.push_back(options.given_result);
    } else if (ran) {
      outputs = std::move(*ran);
    } else {
      std::vector<DataType> types;
      for (const ValueId output : node.outputs) types.push_back(graph.desc(output).dtype);
      KernelContext::Kept* kept = options.kept == nullptr ? nullptr : &(*options.kept)[id];
      if (options.runner == nullptr) {
        outputs = RunReferenceKernel(node, std::move(arguments), {}, std::move(types), kept);
      } else {
        outputs = RunReferenceKernel(node, arguments, {}, std::move(types), kept, options.runner);
        options.runner->Saw(graph, node, arguments, outputs);
      }
    }
    if (options.observe) options.observe(graph, node, outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (uses_left[node.outputs[i]] > 0) values[node.outputs[i]] = std::move(outputs[i]);
    }
  }
  return results;
}

}  // namespace atc
