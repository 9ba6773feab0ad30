// acl_base.h: element types, data buffers, tensor descriptions.
#include "backend/acl/include/acl/acl_base.h"

#include "backend/acl/dataset.h"
#include "backend/acl/guard.h"
#include "backend/acl/objects.h"
#include "compiler/ir/half.h"

using namespace atc::acl;

size_t aclDataTypeSize(aclDataType dataType) {
  const atc::DataType dtype = FromAcl(dataType);
  if (dtype == atc::DT_UNDEFINED) return dataType == ACL_DT_UNDEFINED ? 0 : 8;  // an unknown number counts as 8, as ACL
  if (dtype == atc::DT_STRING || dtype == atc::DT_VARIANT) return 0;
  return (atc::DataTypeBits(dtype) + 7) / 8;
}

float aclFloat16ToFloat(aclFloat16 value) { return atc::HalfToFloat(value); }

aclFloat16 aclFloatToFloat16(float value) { return atc::FloatToHalf(value); }

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  return GuardValue<aclDataBuffer*>(nullptr, [&] {
    auto buffer = std::make_shared<Buffer>();
    buffer->data = data;
    buffer->bytes = size;
    return static_cast<aclDataBuffer*>(Buffers().Add(std::move(buffer)));
  });
}

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return Guard([&]() -> aclError {
    if (dataBuffer == nullptr) return NullArgument("dataBuffer");
    return Buffers().Remove(dataBuffer) ? ACL_SUCCESS : BadHandle("dataBuffer", "a data buffer");
  });
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return Guard([&]() -> aclError {
    if (dataBuffer == nullptr) return NullArgument("dataBuffer");
    const auto buffer = Buffers().Find(dataBuffer);
    if (!buffer) return BadHandle("dataBuffer", "a data buffer");
    std::lock_guard lock(buffer->mutex);
    buffer->data = data;
    buffer->bytes = size;
    ++dataset_changes;
    return ACL_SUCCESS;
  });
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  return GuardValue<void*>(nullptr, [&]() -> void* {
    const auto buffer = Buffers().Find(dataBuffer);
    if (!buffer) return BadHandle("dataBuffer", "a data buffer"), nullptr;
    std::lock_guard lock(buffer->mutex);
    return buffer->data;
  });
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  return GuardValue<size_t>(0, [&]() -> size_t {
    const auto buffer = Buffers().Find(dataBuffer);
    if (!buffer) return BadHandle("dataBuffer", "a data buffer"), 0;
    std::lock_guard lock(buffer->mutex);
    return buffer->bytes;
  });
}

uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims, aclFormat format) {
  return GuardValue<aclTensorDesc*>(nullptr, [&]() -> aclTensorDesc* {
    if (numDims < 0) return Fail(ACL_ERROR_INVALID_PARAM, "a tensor has no negative number of dims"), nullptr;
    if (numDims > 0 && dims == nullptr) return NullArgument("dims"), nullptr;
    auto desc = std::make_shared<TensorDesc>();
    desc->dtype = FromAcl(dataType);
    desc->format = static_cast<atc::Format>(format);
    desc->shape = atc::Shape(numDims == 0 ? std::vector<int64_t>() : std::vector<int64_t>(dims, dims + numDims));
    return static_cast<aclTensorDesc*>(TensorDescs().Add(std::move(desc)));
  });
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  GuardValue(0, [&] {
    if (desc == nullptr) return 0;
    const auto removed = TensorDescs().Remove(desc);
    if (!removed) BadHandle("desc", "a tensor description");
    if (removed) {
      for (const aclTensorDesc* element : removed->elements) TensorDescs().Remove(element);
    }
    return 0;
  });
}

namespace {

// What `get` reads from a description; `fallback` and a line in the log when there is none.
template <class Result, class Get>
Result Read(const aclTensorDesc* desc, Result fallback, Get&& get) {
  return GuardValue<Result>(fallback, [&]() -> Result {
    const auto found = TensorDescs().Find(desc);
    if (!found) return BadHandle("desc", "a tensor description"), fallback;
    return get(*found);
  });
}

}  // namespace

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  return Read(desc, ACL_DT_UNDEFINED, [](const TensorDesc& d) { return ToAcl(d.dtype); });
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  return Read(desc, ACL_FORMAT_UNDEFINED, [](const TensorDesc& d) { return static_cast<aclFormat>(d.format); });
}

size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
  return Read<size_t>(desc, 0, [](const TensorDesc& d) -> size_t {
    return TensorBytes(d.dtype, d.shape).value_or(0);
  });
}

size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
  return Read<size_t>(desc, 0, [](const TensorDesc& d) -> size_t {
    return static_cast<size_t>(ElementCount(d.shape).value_or(0));
  });
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  return Read<size_t>(desc, 0, [](const TensorDesc& d) -> size_t {
    return d.shape.HasRank() ? d.shape.rank() : static_cast<size_t>(ACL_UNKNOWN_RANK);
  });
}

int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index) {
  int64_t dim = -1;
  return aclGetTensorDescDimV2(desc, index, &dim) == ACL_SUCCESS ? dim : -1;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  return Guard([&]() -> aclError {
    if (desc == nullptr) return NullArgument("desc");
    if (dimSize == nullptr) return NullArgument("dimSize");
    const auto found = TensorDescs().Find(desc);
    if (!found) return BadHandle("desc", "a tensor description");
    if (index >= found->shape.rank()) {
      return Fail(ACL_ERROR_INVALID_PARAM, "dim " + std::to_string(index) + " was asked for; the tensor has " +
                                               std::to_string(found->shape.rank()) + " dim(s)");
    }
    *dimSize = found->shape[index];
    return ACL_SUCCESS;
  });
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
  return Read<const char*>(desc, "", [](const TensorDesc& d) { return d.name.c_str(); });
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
  GuardValue(0, [&] {
    const auto found = TensorDescs().Find(desc);
    if (!found) return BadHandle("desc", "a tensor description");
    found->name = name == nullptr ? "" : name;
    return 0;
  });
}
