// acl_meta.h: making, reading and ending the objects of aclnn.
#include <cstring>
#include <optional>

#include "backend/acl/guard.h"
#include "backend/acl/include/acl/acl_rt.h"
#include "backend/acl/objects.h"
#include "backend/aclnn/objects.h"

using namespace atc::aclnn;
using atc::acl::Fail;
using atc::acl::Guard;
using atc::acl::GuardValue;

namespace {

constexpr uint64_t kMostDims = 25;

aclnnStatus Null(const char* name) { return Fail(ACLNN_ERR_PARAM_NULLPTR, std::string("argument ") + name + " is NULL"); }

aclnnStatus Dead(const char* name) {
  return Fail(ACLNN_ERR_PARAM_NULLPTR, std::string("argument ") + name + " is no object that is alive: it was destroyed, or never was one");
}

std::optional<std::vector<int64_t>> CopyDims(const int64_t* dims, uint64_t count, const char* name) {
  if (count > kMostDims) {
    Fail(ACLNN_ERR_PARAM_INVALID, std::string(name) + ": a tensor has at most 25 dims, not " + std::to_string(count));
    return std::nullopt;
  }
  if (count > 0 && dims == nullptr) {
    Null(name);
    return std::nullopt;
  }
  std::vector<int64_t> copy(dims, dims + count);
  for (const int64_t dim : copy) {
    if (dim >= 0) continue;
    Fail(ACLNN_ERR_PARAM_INVALID, std::string(name) + " holds the negative dim " + std::to_string(dim));
    return std::nullopt;
  }
  return copy;
}

// The view that the arguments of aclCreateTensor describe; none, with a line in the log, where they describe none.
std::optional<View> MakeView(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                             int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum) {
  View view;
  auto dims = CopyDims(viewDims, viewDimsNum, "viewDims");
  auto storage = CopyDims(storageDims, storageDimsNum, "storageDims");
  if (!dims || !storage) return std::nullopt;
  view.dtype = atc::acl::FromAcl(dataType);
  view.format = format;
  view.shape = atc::Shape(std::move(*dims));
  view.storage = atc::Shape(std::move(*storage));
  view.offset = offset;
  const auto held = atc::acl::ElementCount(view.storage);
  if (!atc::acl::ElementCount(view.shape) || !held) {
    Fail(ACLNN_ERR_PARAM_INVALID, "the tensor has more elements than can be counted");
    return std::nullopt;
  }
  view.strides = stride != nullptr ? std::vector<int64_t>(stride, stride + viewDimsNum) : view.shape.Strides();
  // Where the furthest element lies; a storage of no dims says nothing of its size.
  int64_t last = offset;
  bool fits = offset >= 0;
  for (size_t i = 0; i < view.shape.rank() && fits; ++i) {
    int64_t step = 0;
    fits = view.strides[i] >= 0 && !__builtin_mul_overflow(std::max<int64_t>(view.shape[i] - 1, 0), view.strides[i], &step) &&
           !__builtin_add_overflow(last, step, &last);
  }
  if (view.shape.NumElements() == 0) last = -1;
  if (!fits || (storageDimsNum > 0 && last >= *held)) {
    Fail(ACLNN_ERR_PARAM_INVALID, "the view of shape " + ToString(view.shape) + " reaches out of its storage of shape " +
                                      ToString(view.storage));
    return std::nullopt;
  }
  return view;
}

template <class T, class Handle>
aclnnStatus Destroy(HandleTable<T>& table, const Handle* handle, const char* name) {
  return Guard([&]() -> aclnnStatus {
    if (handle == nullptr) return ACLNN_SUCCESS;
    return table.Remove(handle) ? ACLNN_SUCCESS : Dead(name);
  });
}

template <class T, class Handle, class Read>
aclnnStatus Ask(HandleTable<T>& table, const Handle* handle, const char* name, Read&& read) {
  return Guard([&]() -> aclnnStatus {
    if (handle == nullptr) return Null(name);
    const auto found = table.Find(handle);
    return found ? read(*found) : Dead(name);
  });
}

aclnnStatus GiveArray(const std::vector<int64_t>& values, int64_t** out, uint64_t* count) {
  if (out == nullptr || count == nullptr) return Null("an output");
  *out = new int64_t[values.size()];
  std::copy(values.begin(), values.end(), *out);
  *count = values.size();
  return ACLNN_SUCCESS;
}

template <class T, class Handle>
Handle* MakeArray(HandleTable<Array<T>>& table, const T* value, uint64_t size) {
  return GuardValue<Handle*>(nullptr, [&]() -> Handle* {
    if (size > 0 && value == nullptr) return Null("value"), nullptr;
    auto array = std::make_shared<Array<T>>();
    array->values.assign(value, value + size);
    return static_cast<Handle*>(table.Add(std::move(array)));
  });
}

template <class Handle, class Value>
aclnnStatus GiveSize(HandleTable<Value>& table, const Handle* handle, uint64_t* size, size_t (*count)(const Value&)) {
  return Ask(table, handle, "array", [&](const Value& value) -> aclnnStatus {
    if (size == nullptr) return Null("size");
    *size = count(value);
    return ACLNN_SUCCESS;
  });
}

}  // namespace

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
  return GuardValue<aclTensor*>(nullptr, [&]() -> aclTensor* {
    auto view = MakeView(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum);
    if (!view) return nullptr;
    auto tensor = std::make_shared<Tensor>();
    tensor->view = std::move(*view);
    tensor->data = tensorData;
    return static_cast<aclTensor*>(Tensors().Add(std::move(tensor)));
  });
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storageDims,
                          uint64_t storageDimsNum, void* tensorDataAddr) {
  return Ask(Tensors(), tensor, "tensor", [&](Tensor& t) -> aclnnStatus {
    auto view = MakeView(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum);
    if (!view) return ACLNN_ERR_PARAM_INVALID;
    std::lock_guard lock(t.mutex);
    t.view = std::move(*view);
    t.data = tensorDataAddr;
    return ACLNN_SUCCESS;
  });
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  return GuardValue<aclScalar*>(nullptr, [&]() -> aclScalar* {
    if (value == nullptr) return Null("value"), nullptr;
    auto scalar = std::make_shared<Scalar>();
    scalar->dtype = atc::acl::FromAcl(dataType);
    if (scalar->dtype == atc::DT_UNDEFINED || scalar->dtype == atc::DT_STRING) {
      return Fail(ACLNN_ERR_PARAM_INVALID, "there is no scalar of aclDataType " + std::to_string(static_cast<int>(dataType))), nullptr;
    }
    const auto* bytes = static_cast<const std::byte*>(value);
    scalar->bytes.assign(bytes, bytes + atc::DataTypeBytes(scalar->dtype, 1));
    return static_cast<aclScalar*>(Scalars().Add(std::move(scalar)));
  });
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return MakeArray<int64_t, aclIntArray>(IntArrays(), value, size);
}
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return MakeArray<float, aclFloatArray>(FloatArrays(), value, size);
}
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return MakeArray<bool, aclBoolArray>(BoolArrays(), value, size);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  return GuardValue<aclTensorList*>(nullptr, [&]() -> aclTensorList* {
    if (size > 0 && value == nullptr) return Null("value"), nullptr;
    auto list = std::make_shared<TensorList>();
    for (uint64_t i = 0; i < size; ++i) {
      auto tensor = Tensors().Find(value[i]);
      if (!tensor) return Dead("value"), nullptr;
      list->handles.push_back(const_cast<aclTensor*>(value[i]));
      list->tensors.push_back(std::move(tensor));
    }
    return static_cast<aclTensorList*>(TensorLists().Add(std::move(list)));
  });
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  return GuardValue<aclScalarList*>(nullptr, [&]() -> aclScalarList* {
    if (size > 0 && value == nullptr) return Null("value"), nullptr;
    auto list = std::make_shared<ScalarList>();
    for (uint64_t i = 0; i < size; ++i) {
      auto scalar = Scalars().Find(value[i]);
      if (!scalar) return Dead("value"), nullptr;
      list->scalars.push_back(std::move(scalar));
    }
    // Taken over: from now on the list alone keeps them.
    for (uint64_t i = 0; i < size; ++i) Scalars().Remove(value[i]);
    return static_cast<aclScalarList*>(ScalarLists().Add(std::move(list)));
  });
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) { return Destroy(Tensors(), tensor, "tensor"); }
aclnnStatus aclDestroyScalar(const aclScalar* scalar) { return Destroy(Scalars(), scalar, "scalar"); }
aclnnStatus aclDestroyIntArray(const aclIntArray* array) { return Destroy(IntArrays(), array, "array"); }
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) { return Destroy(FloatArrays(), array, "array"); }
aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) { return Destroy(BoolArrays(), array, "array"); }
aclnnStatus aclDestroyScalarList(const aclScalarList* array) { return Destroy(ScalarLists(), array, "array"); }

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return Guard([&]() -> aclnnStatus {
    if (array == nullptr) return ACLNN_SUCCESS;
    const auto list = TensorLists().Remove(array);
    if (!list) return Dead("array");
    for (const aclTensor* handle : list->handles) Tensors().Remove(handle);
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  return Ask(Tensors(), tensor, "tensor", [&](const Tensor& t) { return GiveArray(t.CopyView().shape.dims(), viewDims, viewDimsNum); });
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
  return Ask(Tensors(), tensor, "tensor", [&](const Tensor& t) { return GiveArray(t.CopyView().storage.dims(), storageDims, storageDimsNum); });
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
  return Ask(Tensors(), tensor, "tensor", [&](const Tensor& t) { return GiveArray(t.CopyView().strides, stridesValue, stridesNum); });
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  return Ask(Tensors(), tensor, "tensor", [&](const Tensor& t) -> aclnnStatus {
    if (offset == nullptr) return Null("offset");
    *offset = t.CopyView().offset;
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  return Ask(Tensors(), tensor, "tensor", [&](const Tensor& t) -> aclnnStatus {
    if (format == nullptr) return Null("format");
    *format = t.CopyView().format;
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  return Ask(Tensors(), tensor, "tensor", [&](const Tensor& t) -> aclnnStatus {
    if (dataType == nullptr) return Null("dataType");
    *dataType = atc::acl::ToAcl(t.CopyView().dtype);
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return GiveSize<aclIntArray, Array<int64_t>>(IntArrays(), array, size, [](const auto& a) { return a.values.size(); });
}
aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  return GiveSize<aclFloatArray, Array<float>>(FloatArrays(), array, size, [](const auto& a) { return a.values.size(); });
}
aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return GiveSize<aclBoolArray, Array<bool>>(BoolArrays(), array, size, [](const auto& a) { return a.values.size(); });
}
aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  return GiveSize<aclTensorList, TensorList>(TensorLists(), tensorList, size, [](const auto& l) { return l.tensors.size(); });
}
aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  return GiveSize<aclScalarList, ScalarList>(ScalarLists(), scalarList, size, [](const auto& l) { return l.scalars.size(); });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return Ask(Tensors(), tensor, "tensor", [&](Tensor& t) -> aclnnStatus {
    std::lock_guard lock(t.mutex);
    t.data = addr;
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  return Ask(Tensors(), tensor, "tensor", [&](const Tensor& t) -> aclnnStatus {
    if (addr == nullptr) return Null("addr");
    *addr = t.CopyData();
    return ACLNN_SUCCESS;
  });
}

aclnnStatus aclnnInit(const char* configPath) {
  const aclError code = aclInit(configPath);
  return code == ACL_SUCCESS || code == ACL_ERROR_REPEAT_INITIALIZE ? ACLNN_SUCCESS : ACLNN_ERR_RUNTIME_ERROR;
}

aclnnStatus aclnnFinalize(void) {
  const aclError code = aclFinalizeReference(nullptr);
  return code == ACL_SUCCESS || code == ACL_ERROR_REPEAT_FINALIZE ? ACLNN_SUCCESS : ACLNN_ERR_RUNTIME_ERROR;
}
