#include "backend/aclnn/single_op.h"

#include "backend/acl/guard.h"
#include "backend/acl/handles.h"
#include "compiler/ir/ascend_aliases.h"
#include "compiler/ir/error.h"
#include "compiler/ops/inference.h"

namespace atc::aclnn {
namespace {

using acl::Fail;
using runtime::Runtime;

// Constant descriptions are known ahead, so that shapes which follow from them are too.
Value InputOf(Graph& graph, const acl::TensorDesc& desc, size_t index) {
  if (desc.dtype == DT_UNDEFINED) return {};
  if (!desc.constant) return {graph.AddData("", static_cast<int64_t>(index), TensorDesc(desc.dtype, desc.shape, desc.format))};
  Buffer buffer = Buffer::Allocate(desc.constant->size());
  std::copy(desc.constant->begin(), desc.constant->end(), buffer.data);
  return {graph.AddConst("", atc::Tensor(desc.dtype, desc.shape, buffer))};
}

aclError CheckAttrs(const OpDef& def, const AttrMap& attrs) {
  for (const auto& [name, value] : attrs) {
    if (def.FindAttr(name) != nullptr) continue;
    return Fail(ACL_ERROR_OP_ATTR_NOT_MATCH, "operator " + def.type.str() + " has no attribute '" + name.str() + "'");
  }
  for (const AttrDef& attr : def.attrs) {
    if (!attr.required || attrs.Has(attr.name)) continue;
    return Fail(ACL_ERROR_OP_ATTR_NOT_MATCH, "operator " + def.type.str() + " needs the attribute '" + attr.name.str() + "'");
  }
  return ACL_SUCCESS;
}

TensorRef RefOf(const acl::TensorDesc& desc, bool input) {
  TensorRef ref;
  ref.input = input;
  ref.output = !input;
  ref.view.dtype = desc.dtype;
  ref.view.format = static_cast<aclFormat>(desc.format);
  ref.view.shape = desc.shape;
  ref.view.strides = desc.shape.IsKnown() ? desc.shape.Strides() : std::vector<int64_t>(desc.shape.rank(), 1);
  ref.view.storage = desc.shape;
  ref.tensor = std::make_shared<Tensor>();
  ref.tensor->view = ref.view;
  return ref;
}

ValueId AddNode(Graph& graph, const char* type, std::vector<ValueId> inputs, std::vector<std::pair<const char*, AttrValue>> attrs = {}) {
  Node& node = graph.Add(Name(type), "", std::move(inputs), 1);
  for (auto& [name, value] : attrs) node.attrs.Set(Name(name), std::move(value));
  InferNode(graph, node);
  return node.outputs[0];
}

// GEMM by the operators that an aclnn program would call, so that both give the same bits: the product, its multiple,
// that of c, and the sum, each in the type of c.
ValueId AddGemm(Graph& graph, const std::vector<ValueId>& in, const AttrMap& attrs) {
  const DataType sums = graph.desc(in[2]).dtype;
  const auto cast = [&](ValueId value, DataType dtype) {
    return graph.desc(value).dtype == dtype ? value : AddNode(graph, "Cast", {value}, {{"dst_type", int64_t{dtype}}});
  };
  const DataType inside = IsHalf(sums) ? DT_FLOAT : sums;
  const ValueId product = cast(AddNode(graph, "BatchMatMulV2", {cast(in[0], inside), cast(in[1], inside)},
                                       {{"adj_x1", attrs.Get<bool>("transpose_a", false)}, {"adj_x2", attrs.Get<bool>("transpose_b", false)}}), sums);
  const auto scaled = [&](ValueId value, ValueId factor) {
    return cast(AddNode(graph, "Mul", {cast(value, inside), cast(factor, inside)}), sums);
  };
  const ValueId first = cast(scaled(product, in[3]), inside);
  return cast(AddNode(graph, "Add", {first, cast(scaled(in[2], in[4]), inside)}), sums);
}

}  // namespace

acl::HandleTable<OpAttrs>& OpAttributes() {
  static auto* table = new acl::HandleTable<OpAttrs>(acl::HandleKind::kOpAttr);
  return *table;
}

aclError MakeSingleOp(const std::string& type, std::vector<acl::TensorDesc> inputs, std::vector<acl::TensorDesc> outputs,
                      const AttrMap& given, std::shared_ptr<SingleOp>* op) {
  AttrMap attrs = given;
  const OpDef* def = OpRegistry::Get().Find(Name(type));
  if (def == nullptr) def = FindAlias(type, attrs);
  if (def == nullptr || def->kernel == nullptr) {
    return Fail(ACL_ERROR_OP_NOT_FOUND, "there is no operator of type '" + type + "'");
  }
  if (const aclError code = CheckAttrs(*def, attrs); code != ACL_SUCCESS) return code;
  for (const acl::TensorDesc& input : inputs) {
    if (input.dtype != DT_UNDEFINED && !input.shape.IsKnown()) {
      return Fail(ACL_ERROR_OP_INPUT_NOT_MATCH, type + ": an input has the shape " + ToString(input.shape) + ", which must be known");
    }
  }
  auto graph = std::make_unique<Graph>();
  std::vector<ValueId> values;
  for (size_t i = 0; i < inputs.size(); ++i) values.push_back(InputOf(*graph, inputs[i], i).id);
  while (!values.empty() && values.back() == kNoId) values.pop_back();
  std::vector<OutputBinding> bindings;
  try {
    Node& node = graph->Add(*def, "", values, outputs.size());
    node.attrs = attrs;
    graph->Verify();
    InferNode(*graph, node);
    std::vector<ValueId> results = node.outputs;
    if (type == "GEMM") {
      graph->Remove(node.id);
      results = {AddGemm(*graph, values, attrs)};
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorDesc& got = graph->desc(results[i]);
      acl::TensorDesc& wanted = outputs[i];
      if (!wanted.shape.IsKnown() && got.shape.IsKnown()) wanted.shape = got.shape;
      if (wanted.dtype != got.dtype || (got.shape.IsKnown() && !(wanted.shape == got.shape))) {
        return Fail(ACL_ERROR_OP_OUTPUT_NOT_MATCH, type + ": output " + std::to_string(i) + " is described as " + std::string(DataTypeName(wanted.dtype)) +
                                                       " " + ToString(wanted.shape) + "; the operator gives " + std::string(DataTypeName(got.dtype)) + " " + ToString(got.shape));
      }
      bindings.push_back({inputs.size() + i, Value{results[i]}});
    }
  } catch (const Error& error) {
    return Fail(ACL_ERROR_OP_INPUT_NOT_MATCH, type + ": " + acl::PlainText(error.diagnostic()));
  }
  std::vector<TensorRef> tensors;
  for (const acl::TensorDesc& input : inputs) tensors.push_back(RefOf(input, true));
  for (const acl::TensorDesc& output : outputs) tensors.push_back(RefOf(output, false));
  // In place is common in single operators: a result is written when all has been read.
  const std::vector<bool> shared(tensors.size(), true);
  auto made = std::make_shared<SingleOp>();
  made->type = type;
  made->plan = std::make_shared<Plan>(std::move(graph), tensors, std::move(bindings), shared, static_cast<int>(Runtime::Get().cores()));
  made->inputs = std::move(inputs);
  made->outputs = std::move(outputs);
  *op = std::move(made);
  return ACL_SUCCESS;
}

aclError RunAt(const SingleOp& op, std::vector<void*> addresses, aclrtStream stream) {
  auto executor = std::make_shared<Executor>();
  executor->name = op.type;
  executor->plan = op.plan;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const bool input = i < op.inputs.size();
    executor->tensors.push_back(RefOf(input ? op.inputs[i] : op.outputs[i - op.inputs.size()], input));
    executor->tensors.back().address = addresses[i];
    executor->names.push_back((input ? "input " : "output ") + std::to_string(input ? i : i - op.inputs.size()));
  }
  // The workspace is the call's own and lives as long as the queued run.
  if (const uint64_t bytes = op.plan->workspace_bytes(); bytes > 0) executor->workspace = Buffer::Allocate(bytes);
  void* workspace = executor->workspace.data;
  return Launch(std::move(executor), workspace, stream) == ACLNN_SUCCESS ? ACL_SUCCESS : runtime::LastCode();
}

aclError RunSingleOp(const SingleOp& op, const std::vector<acl::Buffer*>& inputs, const std::vector<acl::Buffer*>& outputs,
                     aclrtStream stream) {
  std::vector<void*> addresses;
  const auto add = [&](const std::vector<acl::Buffer*>& buffers, const std::vector<acl::TensorDesc>& descs, const char* side) -> aclError {
    if (buffers.size() != descs.size()) {
      return Fail(ACL_ERROR_INVALID_PARAM, std::to_string(buffers.size()) + " " + side + "s were given for " + std::to_string(descs.size()) + " descriptions");
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      std::lock_guard lock(buffers[i]->mutex);
      const auto needed = descs[i].dtype == DT_UNDEFINED || descs[i].constant ? 0 : acl::TensorBytes(descs[i].dtype, descs[i].shape).value_or(0);
      if (buffers[i]->bytes < needed || (needed > 0 && buffers[i]->data == nullptr)) {
        return Fail(ACL_ERROR_INVALID_PARAM, std::string(side) + " " + std::to_string(i) + " needs " + std::to_string(needed) + " bytes, the buffer has " + std::to_string(buffers[i]->bytes));
      }
      addresses.push_back(buffers[i]->data);
    }
    return ACL_SUCCESS;
  };
  if (const aclError code = add(inputs, op.inputs, "input"); code != ACL_SUCCESS) return code;
  if (const aclError code = add(outputs, op.outputs, "output"); code != ACL_SUCCESS) return code;
  return RunAt(op, std::move(addresses), stream);
}

}  // namespace atc::aclnn
