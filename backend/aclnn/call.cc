// The two phases of every operator call.
#include <cstdlib>
#include <cstring>

#include "backend/acl/guard.h"
#include "backend/acl/handles.h"
#include "backend/acl/objects.h"
#include "backend/aclnn/argument.h"
#include "backend/aclnn/executor.h"
#include "backend/aclnn/plan_cache.h"
#include "backend/aclnn/recipes.h"
#include "compiler/ir/error.h"

namespace atc::aclnn {
namespace {

using acl::Fail;
using runtime::Context;
using runtime::Runtime;

constexpr size_t kMostRank = 8;

std::string Named(const Signature& signature, size_t arg) {
  return std::string(signature.name) + ": argument " + std::string(signature.args[arg].name);
}

bool IsTensor(ArgKind kind) { return kind == ArgKind::kInput || kind == ArgKind::kOutput || kind == ArgKind::kInOut; }
bool IsList(ArgKind kind) {
  return kind == ArgKind::kInputs || kind == ArgKind::kOutputs || kind == ArgKind::kInOuts;
}
bool IsNumber(ArgKind kind) {
  return kind == ArgKind::kInt || kind == ArgKind::kReal || kind == ArgKind::kFlag || kind == ArgKind::kType;
}

aclnnStatus AddTensor(const Signature& signature, size_t arg, size_t member, std::shared_ptr<Tensor> tensor,
                      std::vector<TensorRef>* tensors) {
  TensorRef ref;
  const ArgKind kind = signature.args[arg].kind;
  ref.arg = arg;
  ref.member = member;
  ref.input = kind != ArgKind::kOutput && kind != ArgKind::kOutputs;
  ref.output = kind != ArgKind::kInput && kind != ArgKind::kInputs;
  ref.view = tensor->CopyView();
  ref.address = tensor->CopyData();
  ref.tensor = std::move(tensor);
  const View& view = ref.view;
  if (view.shape.rank() > kMostRank) {
    return Fail(ACLNN_ERR_PARAM_INVALID, Named(signature, arg) + " has " + std::to_string(view.shape.rank()) +
                                             " dims; operators take at most 8");
  }
  if (view.dtype == DT_UNDEFINED || view.dtype == DT_STRING || view.dtype == DT_VARIANT ||
      (DataTypeBits(view.dtype) < 8 && !view.contiguous())) {
    return Fail(ACLNN_ERR_PARAM_INVALID, Named(signature, arg) + " has type " + std::string(DataTypeName(view.dtype)) +
                                             ", which operators do not take (below a byte: only without gaps)");
  }
  if (view.format == ACL_FORMAT_FRACTAL_NZ || view.format == ACL_FORMAT_NC1HWC0 || view.format == ACL_FORMAT_FRACTAL_Z) {
    return Fail(ACLNN_ERR_PARAM_INVALID, Named(signature, arg) + " has a private format; give it in its plain one");
  }
  tensors->push_back(std::move(ref));
  return ACLNN_SUCCESS;
}

aclnnStatus Dead(const Signature& signature, size_t arg) {
  return Fail(ACLNN_ERR_PARAM_NULLPTR, Named(signature, arg) + " is no object that is alive: it was destroyed, or never was one");
}

// Finds the objects of all arguments; what is absent and must not be, or no longer lives, is refused.
aclnnStatus Collect(const Signature& signature, std::span<const Arg> args, std::vector<TensorRef>* tensors) {
  for (size_t i = 0; i < args.size(); ++i) {
    const ArgInfo& info = signature.args[i];
    if (IsNumber(info.kind)) continue;
    if (args[i].handle == nullptr) {
      if (info.optional) continue;
      return Fail(ACLNN_ERR_PARAM_NULLPTR, "Expected a proper " + std::string(IsTensor(info.kind) ? "Tensor" : "value") +
                                               " but got null for argument " + std::string(info.name) + " of " +
                                               std::string(signature.name));
    }
    if (IsTensor(info.kind)) {
      auto tensor = Tensors().Find(args[i].handle);
      if (!tensor) return Dead(signature, i);
      if (const aclnnStatus code = AddTensor(signature, i, 0, std::move(tensor), tensors); code != ACLNN_SUCCESS) return code;
    } else if (IsList(info.kind)) {
      const auto list = TensorLists().Find(args[i].handle);
      if (!list) return Dead(signature, i);
      for (size_t member = 0; member < list->tensors.size(); ++member) {
        const aclnnStatus code = AddTensor(signature, i, member, list->tensors[member], tensors);
        if (code != ACLNN_SUCCESS) return code;
      }
    } else if ((info.kind == ArgKind::kScalars && !ScalarLists().Find(args[i].handle)) ||
               (info.kind == ArgKind::kScalar && !Scalars().Find(args[i].handle)) ||
               (info.kind == ArgKind::kInts && !IntArrays().Find(args[i].handle)) ||
               (info.kind == ArgKind::kFloats && !FloatArrays().Find(args[i].handle)) ||
               (info.kind == ArgKind::kBools && !BoolArrays().Find(args[i].handle))) {
      return Dead(signature, i);
    }
  }
  return ACLNN_SUCCESS;
}

// ---- the cache of plans: all but addresses is part of the key ----

class KeyWriter {
 public:
  template <class T>
  void Number(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  template <class T>
  void List(const std::vector<T>& values) {
    Number(values.size());
    for (const T& value : values) Number(value);
  }
  void Bytes(const void* data, size_t bytes) {
    Number(bytes);
    text_.append(static_cast<const char*>(data), bytes);
  }
  void Scalar(const aclnn::Scalar& scalar) {
    Number(static_cast<int>(scalar.dtype));
    Bytes(scalar.bytes.data(), scalar.bytes.size());
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string MakeKey(const Signature& signature, std::span<const Arg> args, const std::vector<TensorRef>& tensors,
                    const std::vector<bool>& shared, int cores) {
  KeyWriter key;
  key.Bytes(signature.name.data(), signature.name.size());
  key.Number(cores);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const View& view = tensors[i].view;
    key.Number(tensors[i].arg);
    key.Number(static_cast<int>(view.dtype));
    key.Number(static_cast<int>(view.format));
    key.List(view.shape.dims());
    key.List(view.strides);
    key.Number(view.offset);
    key.Number(static_cast<char>(shared[i]));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const ArgKind kind = signature.args[i].kind;
    if (IsTensor(kind) || IsList(kind)) continue;
    const void* handle = IsNumber(kind) ? nullptr : args[i].handle;
    key.Number(static_cast<char>(handle != nullptr));
    if (kind == ArgKind::kReal) key.Number(args[i].real);
    else if (IsNumber(kind)) key.Number(args[i].integer);
    else if (handle == nullptr) continue;
    else if (kind == ArgKind::kText) key.Bytes(args[i].text, std::strlen(args[i].text));
    else if (kind == ArgKind::kInts) key.List(IntArrays().Find(handle)->values);
    else if (kind == ArgKind::kFloats) key.List(FloatArrays().Find(handle)->values);
    else if (kind == ArgKind::kScalar) key.Scalar(*Scalars().Find(handle));
    else if (kind == ArgKind::kScalars) {
      const auto list = ScalarLists().Find(handle);
      key.Number(list->scalars.size());
      for (const auto& scalar : list->scalars) key.Scalar(*scalar);
    } else {
      for (const bool value : BoolArrays().Find(handle)->values) key.Number(static_cast<char>(value));
    }
  }
  return key.Take();
}

// ACLNN_AICPU_CACHE_LIMIT has nothing to bound here: what the vendor's AI CPU computes are plans whose shapes depend on
// values, which are not kept.
PlanCache<Plan>& TheCache() {
  static const size_t limit = CacheLimit(std::getenv("ACLNN_CACHE_LIMIT"), std::getenv("DISABLE_L2_CACHE"));
  thread_local PlanCache<Plan> cache(limit);
  return cache;
}

std::shared_ptr<Plan> MakePlan(const Signature& signature, std::span<const Arg> args, std::vector<TensorRef>& tensors,
                               const std::vector<bool>& shared, int cores) {
  constexpr size_t kPrefix = 5;  // "aclnn"
  const Recipe* recipe = FindRecipe(signature.name.substr(kPrefix));
  if (recipe == nullptr) {
    throw Refusal{ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "no kernel is known for this operator"};
  }
  Builder builder(signature, args, tensors, recipe->detail);
  recipe->build(builder);
  std::vector<OutputBinding> outputs = builder.outputs();
  return std::make_shared<Plan>(builder.TakeGraph(), tensors, std::move(outputs), shared, cores);
}

}  // namespace

aclnnStatus GetWorkspaceSize(const Signature& signature, std::span<const Arg> args, uint64_t* workspace_size,
                             aclOpExecutor** executor) {
  const std::string where = std::string(signature.name) + ": ";
  try {
    if (workspace_size == nullptr || executor == nullptr) {
      return Fail(ACLNN_ERR_PARAM_NULLPTR, where + "argument " + (executor == nullptr ? "executor" : "workspaceSize") + " is NULL");
    }
    std::vector<TensorRef> tensors;
    if (const aclnnStatus code = Collect(signature, args, &tensors); code != ACLNN_SUCCESS) return code;
    std::shared_ptr<Context> context;
    if (acl::CurrentContext(&context) != ACL_SUCCESS) return ACLNN_ERR_RUNTIME_ERROR;
    const int cores = static_cast<int>(Runtime::Get().cores());
    const std::vector<bool> shared = SharedOutputs(tensors);
    const std::string key = MakeKey(signature, args, tensors, shared, cores);
    std::shared_ptr<Plan> plan = TheCache().Find(key);
    if (!plan) {
      plan = MakePlan(signature, args, tensors, shared, cores);
      if (!plan->dynamic()) TheCache().Add(key, plan);
    }
    auto made = std::make_shared<Executor>();
    made->name = signature.name;
    made->plan = std::move(plan);
    for (const TensorRef& tensor : tensors) {
      const ArgInfo& info = signature.args[tensor.arg];
      made->names.push_back(std::string(info.name) + (IsList(info.kind) ? "[" + std::to_string(tensor.member) + "]" : ""));
    }
    made->tensors = std::move(tensors);
    *workspace_size = made->plan->workspace_bytes();
    *executor = static_cast<aclOpExecutor*>(Executors().Add(std::move(made)));
    return ACLNN_SUCCESS;
  } catch (const Refusal& refusal) {
    return Fail(refusal.code, where + refusal.text);
  } catch (const Error& error) {
    return Fail(ACLNN_ERR_PARAM_INVALID, where + acl::PlainText(error.diagnostic()));
  } catch (const std::bad_alloc&) {
    return Fail(ACLNN_ERR_RUNTIME_ERROR, where + "out of host memory");
  } catch (const std::exception& error) {
    return Fail(ACLNN_ERR_INNER, where + error.what());
  }
}

aclnnStatus Run(std::string_view name, void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                aclrtStream stream) {
  return acl::Guard(
      [&]() -> aclnnStatus {
        const std::string where = std::string(name) + ": ";
        if (executor == nullptr) return Fail(ACLNN_ERR_PARAM_NULLPTR, where + "argument executor is NULL");
        std::shared_ptr<Executor> found = Executors().Find(executor);
        if (!found) {
          return Fail(ACLNN_ERR_INNER_NULLPTR, where + "the executor is not alive: without aclSetAclOpExecutorRepeatable "
                                               "phase 2 ends it");
        }
        if (!found->repeatable) Executors().Remove(executor);
        if (found->name != name) {
          return Fail(ACLNN_ERR_PARAM_INVALID, where + "the executor was made by " + found->name + "GetWorkspaceSize");
        }
        const uint64_t needed = found->plan->workspace_bytes();
        if (needed > 0 && workspace == nullptr) {
          Executors().Remove(executor);
          return Fail(ACLNN_ERR_PARAM_NULLPTR, where + "a workspace of " + std::to_string(needed) + " bytes is needed, NULL was given");
        }
        if (needed > workspace_size) {
          return Fail(ACLNN_ERR_PARAM_INVALID, where + "a workspace of " + std::to_string(needed) + " bytes is needed, " +
                                                   std::to_string(workspace_size) + " were given");
        }
        const auto memory = needed > 0 ? Runtime::Get().memory().Find(workspace) : std::nullopt;
        if (needed > 0 && (!memory || memory->kind != runtime::MemoryKind::kDevice ||
                           !Runtime::Get().memory().InBounds(workspace, needed))) {
          return Fail(ACLNN_ERR_PARAM_INVALID, where + "the workspace is not device memory of that size (aclrtMalloc)");
        }
        return Launch(std::move(found), workspace, stream);
      },
      ACLNN_ERR_INNER);
}

}  // namespace atc::aclnn

using namespace atc::aclnn;
using atc::acl::Fail;

namespace {

aclnnStatus NoExecutor(const char* why) { return Fail(ACLNN_ERR_INNER_NULLPTR, why); }

enum class Role { kInput, kOutput, kAny };

// The tensor of the index-th argument of that role, and of its list.
aclnnStatus SetAddress(aclOpExecutor* executor, size_t index, size_t member, bool of_list, Role role,
                       const void* object, void* addr) {
  return atc::acl::Guard([&]() -> aclnnStatus {
    if (executor == nullptr) return NoExecutor("argument executor is NULL");
    if (object == nullptr) return NoExecutor("argument tensor is NULL");
    const auto found = Executors().Find(executor);
    if (!found) return NoExecutor("the executor is not alive");
    std::lock_guard lock(found->mutex);
    if (!found->repeatable) {
      return Fail(ACLNN_ERR_INNER, "addresses are set anew for a repeatable executor alone (aclSetAclOpExecutorRepeatable)");
    }
    // Arguments of the role in order, inputs before outputs.
    std::vector<size_t> args;
    for (const bool outputs : {false, true}) {
      if ((role == Role::kInput && outputs) || (role == Role::kOutput && !outputs)) continue;
      for (const TensorRef& tensor : found->tensors) {
        if (!(outputs ? tensor.output : tensor.input)) continue;
        if (std::find(args.begin(), args.end(), tensor.arg) == args.end()) args.push_back(tensor.arg);
      }
    }
    for (TensorRef& tensor : found->tensors) {
      if (index >= args.size() || tensor.arg != args[index] || tensor.member != (of_list ? member : 0)) continue;
      tensor.address = addr;
      return ACLNN_SUCCESS;
    }
    return Fail(ACLNN_ERR_PARAM_INVALID, found->name + " has no tensor " + std::to_string(index) +
                                             (of_list ? ", member " + std::to_string(member) : ""));
  });
}

}  // namespace

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return atc::acl::Guard([&]() -> aclnnStatus {
    if (executor == nullptr) return NoExecutor("argument executor is NULL");
    const auto found = Executors().Find(executor);
    if (!found) return NoExecutor("the executor is not alive");
    if (found->plan->dynamic()) {
      return Fail(ACLNN_ERR_INNER, found->name + " has outputs whose shape depends on values: its executor runs once");
    }
    std::lock_guard lock(found->mutex);
    found->repeatable = true;
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return atc::acl::Guard([&]() -> aclnnStatus {
    if (executor == nullptr) return NoExecutor("argument executor is NULL");
    return Executors().Remove(executor) ? ACLNN_SUCCESS : NoExecutor("the executor is not alive");
  });
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetAddress(executor, index, 0, false, Role::kInput, tensor, addr);
}
aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetAddress(executor, index, 0, false, Role::kOutput, tensor, addr);
}
aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return SetAddress(executor, index, 0, false, Role::kAny, tensor, addr);
}
aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
  return SetAddress(executor, irIndex, relativeIndex, true, Role::kInput, tensors, addr);
}
aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
  return SetAddress(executor, irIndex, relativeIndex, true, Role::kOutput, tensors, addr);
}
aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  return SetAddress(executor, irIndex, relativeIndex, true, Role::kAny, tensors, addr);
}
aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return aclSetInputTensorAddr(executor, index, tensor, addr);
}
aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return aclSetOutputTensorAddr(executor, index, tensor, addr);
}
aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, const size_t index, aclTensor* tensor, void* addr) {
  return aclSetTensorAddr(executor, index, tensor, addr);
}
aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
  return aclSetDynamicInputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}
aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
  return aclSetDynamicOutputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}
aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  return aclSetDynamicTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}
