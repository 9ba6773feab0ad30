// Tensors: dtype, shape and an immutable, shared buffer.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/data_type.h"
#include "compiler/ir/shape.h"

namespace atc {

// Bytes that someone keeps alive: owned, a window of a mapped file, or memory of the device.
struct Buffer {
  std::shared_ptr<const void> owner;
  std::byte* data = nullptr;
  size_t size = 0;

  // Zero-filled, aligned to 64 bytes.
  static Buffer Allocate(size_t size);
};

class Tensor;

// Bytes made when they are asked for, so that large derived constants (fp16 weights, folded scales) need not all be in
// memory at once.
using TensorProducer = std::function<Tensor()>;

class Tensor {
 public:
  Tensor() = default;
  // A view on `buffer`, which must hold at least the bytes that dtype and shape ask for.
  Tensor(DataType dtype, Shape shape, Buffer buffer);

  // New memory, zero-filled; DT_STRING and DT_VARIANT elements are default-constructed. The shape must be known.
  static Tensor Allocate(DataType dtype, Shape shape);
  template <typename T>
  static Tensor From(DataType dtype, Shape shape, const std::vector<T>& values) {
    Tensor tensor = Allocate(dtype, std::move(shape));
    assert(static_cast<size_t>(tensor.NumElements()) == values.size());
    std::copy(values.begin(), values.end(), tensor.MutableData<T>());
    return tensor;
  }
  // A tensor whose bytes `produce` makes whenever Materialized() is called; it must always make the same ones.
  static Tensor Deferred(DataType dtype, Shape shape, TensorProducer produce);
  static Tensor Scalar(int64_t value) { return From<int64_t>(DT_INT64, {}, {value}); }
  static Tensor Scalar(float value) { return From<float>(DT_FLOAT, {}, {value}); }
  static Tensor Ints(const std::vector<int64_t>& values) {
    return From<int64_t>(DT_INT64, {static_cast<int64_t>(values.size())}, values);
  }

  bool defined() const { return dtype_ != DT_UNDEFINED; }
  DataType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  size_t rank() const { return shape_.rank(); }
  int64_t dim(size_t i) const { return shape_[i]; }
  int64_t NumElements() const { return num_elements_; }
  size_t NumBytes() const { return DataTypeBytes(dtype_, num_elements_); }

  bool deferred() const { return produce_ != nullptr; }
  // Itself, or the bytes of a deferred tensor. Whoever reads the data of a Const of any size calls this first.
  Tensor Materialized() const;

  // Not of a deferred tensor.
  template <typename T = std::byte>
  const T* Data() const {
    assert(!deferred());
    return reinterpret_cast<const T*>(buffer_.data);
  }
  template <typename T>
  std::span<const T> Span() const {
    return {Data<T>(), static_cast<size_t>(num_elements_)};
  }
  // Only for whoever has just allocated the tensor: buffers are shared and immutable afterwards.
  template <typename T = std::byte>
  T* MutableData() {
    return reinterpret_cast<T*>(buffer_.data);
  }
  const Buffer& buffer() const { return buffer_; }

  // The same elements under another shape of as many elements.
  Tensor Reshaped(Shape shape) const;
  // The same bytes under another type of the same width.
  Tensor Bitcast(DataType dtype) const;

 private:
  friend bool BitEqual(const Tensor& a, const Tensor& b);

  DataType dtype_ = DT_UNDEFINED;
  Shape shape_;
  int64_t num_elements_ = 0;
  Buffer buffer_;
  std::shared_ptr<const TensorProducer> produce_;
};

// Values of an integer or bool tensor, widened; throws Error on other types: the model decides what they are.
std::vector<int64_t> ToInts(const Tensor& tensor);
// Values of a numeric tensor (sub-byte and 8-bit floats included) as doubles; throws Error on other types.
std::vector<double> ToDoubles(const Tensor& tensor);
// Equal dtype, shape and bytes (strings and sequences by content); deferred tensors only if they share a producer.
bool BitEqual(const Tensor& a, const Tensor& b);

}  // namespace atc
