// acl_base.h: descriptions of tensors of single operators.
#include "backend/acl/guard.h"
#include "backend/acl/include/acl/acl_base.h"
#include "backend/acl/objects.h"

using namespace atc::acl;

namespace {

template <class Change>
aclError Edit(aclTensorDesc* desc, Change&& change) {
  return Guard([&]() -> aclError {
    if (desc == nullptr) return NullArgument("desc");
    const auto found = TensorDescs().Find(desc);
    if (!found) return BadHandle("desc", "a tensor description");
    return change(*found);
  });
}

aclError MakeShape(int count, const int64_t* dims, atc::Shape* out) {
  if (count < 0) return Fail(ACL_ERROR_INVALID_PARAM, "a tensor has no negative number of dims");
  if (count > 0 && dims == nullptr) return NullArgument("dims");
  *out = atc::Shape(count == 0 ? std::vector<int64_t>() : std::vector<int64_t>(dims, dims + count));
  return ACL_SUCCESS;
}

template <class Field>
aclError SetShape(aclTensorDesc* desc, int count, const int64_t* dims, Field&& field) {
  return Edit(desc, [&](TensorDesc& d) -> aclError {
    atc::Shape shape;
    if (const aclError code = MakeShape(count, dims, &shape); code != ACL_SUCCESS) return code;
    field(d) = std::move(shape);
    return ACL_SUCCESS;
  });
}

aclError CopyRanges(size_t count, int64_t ranges[][2], std::vector<std::pair<int64_t, int64_t>>* out) {
  if (count > 0 && ranges == nullptr) return NullArgument("range");
  out->clear();
  for (size_t i = 0; i < count; ++i) out->emplace_back(ranges[i][0], ranges[i][1]);
  return ACL_SUCCESS;
}

}  // namespace

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return SetShape(desc, numDims, dims, [](TensorDesc& d) -> atc::Shape& { return d.shape; });
}

aclError aclSetTensorOriginShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return SetShape(desc, numDims, dims, [](TensorDesc& d) -> std::optional<atc::Shape>& { return d.origin_shape; });
}

aclError aclSetTensorStorageShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return SetShape(desc, numDims, dims, [](TensorDesc& d) -> std::optional<atc::Shape>& { return d.storage_shape; });
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
  return Edit(desc, [&](TensorDesc& d) {
    d.format = static_cast<atc::Format>(format);
    return ACL_SUCCESS;
  });
}

aclError aclSetTensorOriginFormat(aclTensorDesc* desc, aclFormat format) {
  return Edit(desc, [&](TensorDesc& d) {
    d.origin_format = static_cast<atc::Format>(format);
    return ACL_SUCCESS;
  });
}

aclError aclSetTensorStorageFormat(aclTensorDesc* desc, aclFormat format) {
  return Edit(desc, [&](TensorDesc& d) {
    d.storage_format = static_cast<atc::Format>(format);
    return ACL_SUCCESS;
  });
}

aclError aclSetTensorShapeRange(aclTensorDesc* desc, size_t dimsCount, int64_t dimsRange[][2]) {
  return Edit(desc, [&](TensorDesc& d) { return CopyRanges(dimsCount, dimsRange, &d.ranges); });
}

aclError aclSetTensorValueRange(aclTensorDesc* desc, size_t valueCount, int64_t valueRange[][2]) {
  return Edit(desc, [&](TensorDesc& d) { return CopyRanges(valueCount, valueRange, &d.value_ranges); });
}

aclError aclGetTensorDescDimRange(const aclTensorDesc* desc, size_t index, size_t dimRangeNum, int64_t* dimRange) {
  return Edit(const_cast<aclTensorDesc*>(desc), [&](TensorDesc& d) -> aclError {
    if (dimRange == nullptr) return NullArgument("dimRange");
    if (index >= d.shape.rank() || dimRangeNum < 2) {
      return Fail(ACL_ERROR_INVALID_PARAM, "dim " + std::to_string(index) + " of " + std::to_string(d.shape.rank()) +
                                               " was asked for, with room for " + std::to_string(dimRangeNum) + " numbers");
    }
    const int64_t dim = d.shape[index];
    const bool ranged = index < d.ranges.size();
    dimRange[0] = ranged ? d.ranges[index].first : dim < 0 ? 0 : dim;
    dimRange[1] = ranged ? d.ranges[index].second : dim;
    return ACL_SUCCESS;
  });
}

aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length) {
  return Edit(desc, [&](TensorDesc& d) -> aclError {
    if (dataBuffer == nullptr) return NullArgument("dataBuffer");
    if (length == 0) return Fail(ACL_ERROR_INVALID_PARAM, "a constant of 0 bytes was given");
    const auto* bytes = static_cast<const std::byte*>(dataBuffer);
    d.constant = std::make_shared<const std::vector<std::byte>>(bytes, bytes + length);
    return ACL_SUCCESS;
  });
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
  return Edit(desc, [&](TensorDesc& d) -> aclError {
    if (memType < ACL_MEMTYPE_DEVICE || memType > ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT) {
      return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclMemType " + std::to_string(static_cast<int>(memType)));
    }
    d.placement = memType;
    return ACL_SUCCESS;
  });
}

aclError aclSetTensorDynamicInput(aclTensorDesc* desc, const char* dynamicInputName) {
  return Edit(desc, [&](TensorDesc& d) -> aclError {
    if (dynamicInputName == nullptr) return NullArgument("dynamicInputName");
    d.dynamic_input = dynamicInputName;
    return ACL_SUCCESS;
  });
}

// Between plain orders of four axes alone; a private format has other dims that depend on the chip.
aclError aclTransTensorDescFormat(const aclTensorDesc* srcDesc, aclFormat dstFormat, aclTensorDesc** dstDesc) {
  return Edit(const_cast<aclTensorDesc*>(srcDesc), [&](TensorDesc& d) -> aclError {
    if (dstDesc == nullptr) return NullArgument("dstDesc");
    struct Order {
      int format;
      const char* axes;
    };
    constexpr Order kOrders[] = {{ACL_FORMAT_NCHW, "NCHW"}, {ACL_FORMAT_NHWC, "NHWC"}, {ACL_FORMAT_HWCN, "HWCN"}};
    const char* from = nullptr;
    const char* to = nullptr;
    for (const Order& order : kOrders) {
      if (order.format == d.format) from = order.axes;
      if (order.format == dstFormat) to = order.axes;
    }
    if (from == nullptr || to == nullptr || d.shape.rank() != 4) {
      return Fail(ACL_ERROR_INVALID_PARAM, "descriptions are transposed between NCHW, NHWC and HWCN of 4 dims alone");
    }
    auto result = std::make_shared<TensorDesc>(d);
    result->format = static_cast<atc::Format>(dstFormat);
    std::vector<int64_t> dims;
    for (const char* axis = to; *axis != '\0'; ++axis) dims.push_back(d.shape[std::string(from).find(*axis)]);
    result->shape = atc::Shape(dims);
    *dstDesc = static_cast<aclTensorDesc*>(TensorDescs().Add(std::move(result)));
    return ACL_SUCCESS;
  });
}

aclTensorDesc* aclGetTensorDescByIndex(aclTensorDesc* desc, size_t index) {
  return GuardValue<aclTensorDesc*>(nullptr, [&]() -> aclTensorDesc* {
    const auto found = TensorDescs().Find(desc);
    if (!found) return BadHandle("desc", "a tensor description"), nullptr;
    if (index == 0) return desc;
    if (index <= found->elements.size()) return found->elements[index - 1];
    return Fail(ACL_ERROR_INVALID_PARAM, "description " + std::to_string(index) + " was asked for; there are " +
                                             std::to_string(found->elements.size() + 1)),
           nullptr;
  });
}

void* aclGetTensorDescAddress(const aclTensorDesc* desc) {
  return GuardValue<void*>(nullptr, [&]() -> void* {
    const auto found = TensorDescs().Find(desc);
    return found ? found->address : (BadHandle("desc", "a tensor description"), nullptr);
  });
}
