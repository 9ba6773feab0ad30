#include "compiler/ir/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/ir/error.h"
#include "compiler/ir/float8.h"
#include "compiler/ir/half.h"

namespace atc {
namespace {

template <typename T>
Buffer AllocateObjects(size_t count) {
  auto* objects = new T[count]();
  Buffer buffer;
  buffer.owner = std::shared_ptr<const void>(objects, [](const T* p) { delete[] p; });
  buffer.data = reinterpret_cast<std::byte*>(objects);
  buffer.size = count * sizeof(T);
  return buffer;
}

// Element i of a packed sub-byte tensor, not sign-extended.
uint8_t PackedElement(const Tensor& tensor, int64_t i) {
  const int bits = DataTypeBits(tensor.dtype());
  const int per_byte = 8 / bits;
  const auto byte = std::to_integer<uint8_t>(tensor.Data()[i / per_byte]);
  return static_cast<uint8_t>((byte >> ((i % per_byte) * bits)) & ((1 << bits) - 1));
}

int64_t SignExtend(uint8_t value, int bits) {
  const int shift = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

// Models decide the types of operands, so a wrong one is an error of the model's and not of the caller's.
[[noreturn]] void FailOnElements(const Tensor& tensor, const char* wanted) {
  throw Error::Internal("an operand has elements of type " + std::string(DataTypeName(tensor.dtype())) +
                        " where " + wanted + " are wanted");
}

template <typename Out, typename T>
std::vector<Out> Convert(const Tensor& tensor) {
  std::vector<Out> out;
  out.reserve(tensor.NumElements());
  for (const T& value : tensor.Span<T>()) out.push_back(static_cast<Out>(value));
  return out;
}

template <typename Out>
bool ConvertIntegers(const Tensor& tensor, std::vector<Out>* out) {
  switch (tensor.dtype()) {
    case DT_BOOL:
    case DT_UINT8: *out = Convert<Out, uint8_t>(tensor); return true;
    case DT_INT8: *out = Convert<Out, int8_t>(tensor); return true;
    case DT_INT16: *out = Convert<Out, int16_t>(tensor); return true;
    case DT_UINT16: *out = Convert<Out, uint16_t>(tensor); return true;
    case DT_INT32: *out = Convert<Out, int32_t>(tensor); return true;
    case DT_UINT32: *out = Convert<Out, uint32_t>(tensor); return true;
    case DT_INT64: *out = Convert<Out, int64_t>(tensor); return true;
    case DT_UINT64: *out = Convert<Out, uint64_t>(tensor); return true;
    case DT_INT4:
    case DT_INT2:
      for (int64_t i = 0; i < tensor.NumElements(); ++i) {
        out->push_back(static_cast<Out>(SignExtend(PackedElement(tensor, i), DataTypeBits(tensor.dtype()))));
      }
      return true;
    case DT_UINT4:
    case DT_UINT2:
    case DT_UINT1:
      for (int64_t i = 0; i < tensor.NumElements(); ++i) out->push_back(static_cast<Out>(PackedElement(tensor, i)));
      return true;
    default: return false;
  }
}

template <typename T, typename F>
std::vector<double> Map(const Tensor& tensor, F&& to_double) {
  std::vector<double> out;
  out.reserve(tensor.NumElements());
  for (const T& value : tensor.Span<T>()) out.push_back(to_double(value));
  return out;
}

}  // namespace

Tensor::Tensor(DataType dtype, Shape shape, Buffer buffer)
    : dtype_(dtype), shape_(std::move(shape)), num_elements_(shape_.NumElements()), buffer_(std::move(buffer)) {
  assert(num_elements_ >= 0 && buffer_.size >= NumBytes());
}

Tensor Tensor::Allocate(DataType dtype, Shape shape) {
  const int64_t count = shape.NumElements();
  assert(count >= 0 && dtype != DT_UNDEFINED);
  if (dtype == DT_STRING) return Tensor(dtype, std::move(shape), AllocateObjects<std::string>(count));
  if (dtype == DT_VARIANT) return Tensor(dtype, std::move(shape), AllocateObjects<Tensor>(count));
  return Tensor(dtype, std::move(shape), Buffer::Allocate(DataTypeBytes(dtype, count)));
}

Tensor Tensor::Deferred(DataType dtype, Shape shape, TensorProducer produce) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.num_elements_ = shape.NumElements();
  tensor.shape_ = std::move(shape);
  tensor.produce_ = std::make_shared<const TensorProducer>(std::move(produce));
  return tensor;
}

Tensor Tensor::Materialized() const {
  if (!deferred()) return *this;
  Tensor made = (*produce_)();
  assert(!made.deferred() && made.dtype() == dtype_ && made.shape() == shape_);
  return made;
}

Tensor Tensor::Reshaped(Shape shape) const {
  assert(shape.NumElements() == num_elements_);
  if (deferred()) {
    return Deferred(dtype_, shape, [source = *this, shape] { return source.Materialized().Reshaped(shape); });
  }
  return Tensor(dtype_, std::move(shape), buffer_);
}

Tensor Tensor::Bitcast(DataType dtype) const {
  assert(!deferred());
  assert(DataTypeBits(dtype) == DataTypeBits(dtype_));
  return Tensor(dtype, shape_, buffer_);
}

std::vector<int64_t> ToInts(const Tensor& tensor) {
  std::vector<int64_t> out;
  if (!ConvertIntegers(tensor, &out)) FailOnElements(tensor, "integers");
  return out;
}

std::vector<double> ToDoubles(const Tensor& tensor) {
  std::vector<double> out;
  if (ConvertIntegers(tensor, &out)) return out;
  switch (tensor.dtype()) {
    case DT_FLOAT: return Convert<double, float>(tensor);
    case DT_DOUBLE: return Convert<double, double>(tensor);
    case DT_FLOAT16: return Map<uint16_t>(tensor, [](uint16_t h) { return HalfToFloat(h); });
    case DT_BF16: return Map<uint16_t>(tensor, [](uint16_t b) { return BFloat16ToFloat(b); });
    case DT_FLOAT4_E2M1:
      for (int64_t i = 0; i < tensor.NumElements(); ++i) out.push_back(Float4E2M1ToFloat(PackedElement(tensor, i)));
      return out;
    case DT_FLOAT8_E5M2:
    case DT_FLOAT8_E4M3FN:
    case DT_FLOAT8_E8M0:
    case DT_FLOAT8_E4M3FNUZ:
    case DT_FLOAT8_E5M2FNUZ:
      return Map<uint8_t>(tensor, [&](uint8_t bits) { return Float8ToFloat(tensor.dtype(), bits); });
    default: FailOnElements(tensor, "numbers");
  }
}

bool BitEqual(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) return false;
  if (!a.defined()) return true;
  if (!(a.shape() == b.shape())) return false;
  if (a.deferred() || b.deferred()) return a.produce_ == b.produce_;
  if (a.dtype() == DT_STRING) {
    return std::equal(a.Span<std::string>().begin(), a.Span<std::string>().end(), b.Span<std::string>().begin());
  }
  if (a.dtype() == DT_VARIANT) {
    return std::equal(a.Span<Tensor>().begin(), a.Span<Tensor>().end(), b.Span<Tensor>().begin(), BitEqual);
  }
  return a.NumBytes() == 0 || std::memcmp(a.Data(), b.Data(), a.NumBytes()) == 0;
}

}  // namespace atc
