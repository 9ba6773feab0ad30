// Shapes, descriptions of tensors, and tensors with their bytes: plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace ge {

// A dim of -1 is unknown; the single dim -2 stands for an unknown rank.
class Shape {
 public:
  Shape() = default;
  explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}

  // 0 for an unknown rank, as for a scalar.
  size_t GetDimNum() const { return dims_.size() == 1 && dims_[0] == UNKNOWN_DIM_NUM ? 0 : dims_.size(); }
  // 0 where there is no such dim.
  int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
  graphStatus SetDim(size_t index, int64_t value) {
    if (index >= dims_.size()) return GRAPH_FAILED;
    dims_[index] = value;
    return GRAPH_SUCCESS;
  }
  std::vector<int64_t> GetDims() const { return dims_; }
  // Number of elements, 0 for a scalar; -1 where a dim is unknown.
  int64_t GetShapeSize() const {
    if (dims_.empty()) return 0;
    int64_t size = 1;
    for (const int64_t dim : dims_) {
      if (dim < 0) return -1;
      size *= dim;
    }
    return size;
  }

 private:
  std::vector<int64_t> dims_;
};

class TensorDesc {
 public:
  TensorDesc() = default;
  explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType dtype = DT_FLOAT)
      : shape_(std::move(shape)), format_(format), dtype_(dtype), origin_format_(format) {}

  void Update(const Shape& shape, Format format = FORMAT_ND, DataType dtype = DT_FLOAT) {
    shape_ = shape;
    format_ = format;
    dtype_ = dtype;
  }
  Shape GetShape() const { return shape_; }
  void SetShape(const Shape& shape) { shape_ = shape; }
  graphStatus SetUnknownDimNumShape() {
    shape_ = Shape({UNKNOWN_DIM_NUM});
    return GRAPH_SUCCESS;
  }
  graphStatus SetShapeRange(const std::vector<std::pair<int64_t, int64_t>>& range) {
    range_ = range;
    return GRAPH_SUCCESS;
  }
  graphStatus GetShapeRange(std::vector<std::pair<int64_t, int64_t>>& range) const {
    range = range_;
    return GRAPH_SUCCESS;
  }
  Format GetFormat() const { return format_; }
  void SetFormat(Format format) { format_ = format; }
  // The shape as the framework sees it; equal to the shape where none was set.
  Shape GetOriginShape() const { return has_origin_ ? origin_shape_ : shape_; }
  void SetOriginShape(const Shape& shape) {
    origin_shape_ = shape;
    has_origin_ = true;
  }
  Format GetOriginFormat() const { return origin_format_; }
  void SetOriginFormat(Format format) { origin_format_ = format; }
  DataType GetDataType() const { return dtype_; }
  void SetDataType(DataType dtype) { dtype_ = dtype; }
  graphStatus GetName(AscendString& name) const {
    name = name_;
    return GRAPH_SUCCESS;
  }
  std::string GetName() const { return name_.GetString(); }
  void SetName(const char_t* name) { name_ = AscendString(name); }
  void SetName(const std::string& name) { name_ = AscendString(name.data(), name.size()); }
  // Bytes.
  void SetSize(int64_t size) { size_ = size; }
  int64_t GetSize() const { return size_; }
  void SetRealDimCnt(int64_t count) { real_dims_ = count; }
  int64_t GetRealDimCnt() const { return real_dims_; }
  void SetPlacement(Placement placement) { placement_ = placement; }
  Placement GetPlacement() const { return placement_; }

 private:
  Shape shape_;
  Format format_ = FORMAT_ND;
  DataType dtype_ = DT_FLOAT;
  Shape origin_shape_;
  bool has_origin_ = false;
  Format origin_format_ = FORMAT_ND;
  std::vector<std::pair<int64_t, int64_t>> range_;
  AscendString name_;
  int64_t size_ = 0;
  int64_t real_dims_ = 0;
  Placement placement_ = kPlacementHost;
};

// Copies share their bytes.
class Tensor {
 public:
  using DeleteFunc = std::function<void(uint8_t*)>;

  Tensor() : data_(std::make_shared<std::vector<uint8_t>>()) {}
  explicit Tensor(const TensorDesc& desc) : Tensor() { desc_ = desc; }
  Tensor(const TensorDesc& desc, const std::vector<uint8_t>& data) : Tensor(desc) { *data_ = data; }
  Tensor(const TensorDesc& desc, const uint8_t* data, size_t size) : Tensor(desc) { SetData(data, size); }

  TensorDesc GetTensorDesc() const { return desc_; }
  graphStatus SetTensorDesc(const TensorDesc& desc) {
    desc_ = desc;
    return GRAPH_SUCCESS;
  }
  const uint8_t* GetData() const { return data_->data(); }
  uint8_t* GetData() { return data_->data(); }
  size_t GetSize() const { return data_->size(); }
  graphStatus SetData(const std::vector<uint8_t>& data) {
    *data_ = data;
    return GRAPH_SUCCESS;
  }
  graphStatus SetData(std::vector<uint8_t>&& data) {
    *data_ = std::move(data);
    return GRAPH_SUCCESS;
  }
  graphStatus SetData(const uint8_t* data, size_t size) {
    if (data == nullptr && size != 0) return GRAPH_FAILED;
    data_->assign(data, data + size);
    return GRAPH_SUCCESS;
  }
  Tensor Clone() const { return Tensor(desc_, *data_); }

 private:
  TensorDesc desc_;
  std::shared_ptr<std::vector<uint8_t>> data_;
};

}  // namespace ge
