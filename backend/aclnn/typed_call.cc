// openatc_op.h: both phases of a call by the operator's type.
#include "backend/acl/guard.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/aclnn/openatc_op.h"
#include "backend/aclnn/argument.h"
#include "backend/aclnn/executor.h"
#include "backend/aclnn/single_op.h"
#include "compiler/ir/error.h"
#include "compiler/ops/inference.h"
#include "plugins/operators/custom_operators.h"

using namespace atc::aclnn;
using atc::acl::Fail;

namespace {

const atc::OpDef* FindOperator(const char* type) {
  const atc::OpDef* def = atc::OpRegistry::Get().Find(atc::Name(type));
  if (def == nullptr) {
    atc::LoadCustomOperators();
    def = atc::OpRegistry::Get().Find(atc::Name(type));
  }
  return def != nullptr && def->kernel != nullptr ? def : nullptr;
}

aclnnStatus AddTensors(const aclTensor* const* handles, uint64_t count, bool input, const std::string& where,
                       Executor* executor) {
  if (count > 0 && handles == nullptr) return Fail(ACLNN_ERR_PARAM_NULLPTR, where + "a list of tensors is NULL");
  for (uint64_t i = 0; i < count; ++i) {
    TensorRef ref;
    ref.arg = executor->tensors.size();
    ref.input = input;
    ref.output = !input;
    executor->names.push_back((input ? "input " : "output ") + std::to_string(i));
    if (handles[i] != nullptr) {
      ref.tensor = Tensors().Find(handles[i]);
      if (!ref.tensor) return Fail(ACLNN_ERR_PARAM_NULLPTR, where + executor->names.back() + " is no tensor that is alive");
      ref.view = ref.tensor->CopyView();
      ref.address = ref.tensor->CopyData();
    } else if (!input) {
      return Fail(ACLNN_ERR_PARAM_NULLPTR, where + executor->names.back() + " is NULL");
    }
    executor->tensors.push_back(std::move(ref));
  }
  return ACLNN_SUCCESS;
}

aclnnStatus Build(const atc::OpDef& def, size_t num_inputs, const aclopAttr* attr, Executor* executor) {
  const std::string where = executor->name + ": ";
  atc::AttrMap attrs;
  if (attr != nullptr) {
    const auto found = OpAttributes().Find(attr);
    if (!found) return Fail(ACLNN_ERR_PARAM_NULLPTR, where + "argument attr is no set of attributes that is alive");
    std::lock_guard lock(found->mutex);
    attrs = found->map;
  }
  auto graph = std::make_unique<atc::Graph>();
  std::vector<atc::ValueId> values;
  for (size_t i = 0; i < num_inputs; ++i) {
    const TensorRef& ref = executor->tensors[i];
    values.push_back(ref.tensor ? graph->AddData("", static_cast<int64_t>(i), atc::TensorDesc(ref.view.dtype, ref.view.shape)) : atc::kNoId);
  }
  while (!values.empty() && values.back() == atc::kNoId) values.pop_back();
  const size_t num_outputs = executor->tensors.size() - num_inputs;
  atc::Node& node = graph->Add(def, "", std::move(values), num_outputs);
  node.attrs = std::move(attrs);
  graph->Verify();
  InferNode(*graph, node);
  std::vector<OutputBinding> outputs;
  for (size_t i = 0; i < num_outputs; ++i) {
    const atc::TensorDesc& got = graph->desc(node.outputs[i]);
    const View& wanted = executor->tensors[num_inputs + i].view;
    if (got.dtype != wanted.dtype || (got.shape.IsKnown() && !(got.shape == wanted.shape))) {
      return Fail(ACLNN_ERR_PARAM_INVALID, where + "output " + std::to_string(i) + " is " + std::string(DataTypeName(wanted.dtype)) + " " + ToString(wanted.shape) +
                                               "; the operator gives " + std::string(DataTypeName(got.dtype)) + " " + ToString(got.shape));
    }
    outputs.push_back({num_inputs + i, Value{node.outputs[i]}});
  }
  executor->plan = std::make_shared<Plan>(std::move(graph), executor->tensors, std::move(outputs), SharedOutputs(executor->tensors),
                                          static_cast<int>(atc::runtime::Runtime::Get().cores()));
  return ACLNN_SUCCESS;
}

}  // namespace

aclnnStatus openatcOpGetWorkspaceSize(const char* opType, const aclTensor* const* inputs, uint64_t numInputs,
                                      aclTensor* const* outputs, uint64_t numOutputs, const aclopAttr* attr,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return atc::acl::Guard(
      [&]() -> aclnnStatus {
        if (opType == nullptr || workspaceSize == nullptr || executor == nullptr) {
          return Fail(ACLNN_ERR_PARAM_NULLPTR, "argument opType, workspaceSize or executor is NULL");
        }
        auto made = std::make_shared<Executor>();
        made->name = opType;
        const atc::OpDef* def = FindOperator(opType);
        if (def == nullptr) {
          return Fail(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "there is no operator of type '" + made->name + "', nor does a plugin bring one");
        }
        std::shared_ptr<atc::runtime::Context> context;
        if (atc::acl::CurrentContext(&context) != ACL_SUCCESS) return ACLNN_ERR_RUNTIME_ERROR;
        aclnnStatus code = AddTensors(inputs, numInputs, true, made->name + ": ", made.get());
        if (code == ACLNN_SUCCESS) code = AddTensors(outputs, numOutputs, false, made->name + ": ", made.get());
        if (code == ACLNN_SUCCESS) code = Build(*def, numInputs, attr, made.get());
        if (code != ACLNN_SUCCESS) return code;
        *workspaceSize = made->plan->workspace_bytes();
        *executor = static_cast<aclOpExecutor*>(Executors().Add(std::move(made)));
        return ACLNN_SUCCESS;
      },
      ACLNN_ERR_PARAM_INVALID);
}

aclnnStatus openatcOpRun(const char* opType, void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                         aclrtStream stream) {
  if (opType == nullptr) return Fail(ACLNN_ERR_PARAM_NULLPTR, "argument opType is NULL");
  return Run(opType, workspace, workspaceSize, executor, stream);
}
