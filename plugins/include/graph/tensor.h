// Shapes, descriptions of tensors, and tensors with their bytes: plain values.
#pragma once

#include <cstdint>
#include <cstring>
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
  // How a shape of fewer dims than its format asks for is spread ("1100": two dims of one first); this compiler keeps it.
  void SetExpandDimsRule(const AscendString& rule) { expand_dims_rule_ = rule; }
  graphStatus GetExpandDimsRule(AscendString& rule) const {
    rule = expand_dims_rule_;
    return GRAPH_SUCCESS;
  }
  void SetReuseInputIndex(uint32_t index) { reuse_input_ = index; }
  // The value of what is described, where it is constant. The bytes belong to the description.
  void SetConstData(std::unique_ptr<uint8_t[]> data, const size_t& length) {
    const_data_ = std::shared_ptr<uint8_t>(data.release(), std::default_delete<uint8_t[]>());
    const_bytes_ = length;
  }
  bool GetConstData(uint8_t** data, size_t& length) const {
    if (data == nullptr || const_data_ == nullptr) return false;
    *data = const_data_.get();
    length = const_bytes_;
    return true;
  }

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
  AscendString expand_dims_rule_;
  uint32_t reuse_input_ = UINT32_MAX;
  std::shared_ptr<uint8_t> const_data_;
  size_t const_bytes_ = 0;
};

// Copies share their bytes.
class Tensor {
 public:
  using DeleteFunc = std::function<void(uint8_t*)>;

  Tensor()
      : data_(std::make_shared<std::vector<uint8_t>>()), texts_(std::make_shared<std::vector<AscendString>>()) {}
  explicit Tensor(const TensorDesc& desc) : Tensor() { desc_ = desc; }
  Tensor(const TensorDesc& desc, const std::vector<uint8_t>& data) : Tensor(desc) { *data_ = data; }
  Tensor(TensorDesc&& desc, std::vector<uint8_t>&& data) : Tensor(desc) { *data_ = std::move(data); }
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
  // Strings of a tensor of strings, and the bytes that the caller gives away.
  graphStatus SetData(const char_t* text) { return SetData(std::vector<AscendString>{AscendString(text)}); }
  graphStatus SetData(const std::string& text) {
    return SetData(std::vector<AscendString>{AscendString(text.data(), text.size())});
  }
  graphStatus SetData(const std::vector<std::string>& texts) {
    std::vector<AscendString> all;
    for (const std::string& text : texts) all.emplace_back(text.data(), text.size());
    return SetData(all);
  }
  graphStatus SetData(const std::vector<AscendString>& texts) {
    *texts_ = texts;
    data_->clear();
    return GRAPH_SUCCESS;
  }
  graphStatus SetData(uint8_t* data, size_t size, const DeleteFunc& free) {
    const graphStatus status = SetData(static_cast<const uint8_t*>(data), size);
    if (status == GRAPH_SUCCESS && free) free(data);
    return status;
  }
  graphStatus ResetData(uint8_t* data, size_t size, const DeleteFunc& free) { return SetData(data, size, free); }
  std::unique_ptr<uint8_t[], DeleteFunc> ResetData() {
    std::unique_ptr<uint8_t[], DeleteFunc> bytes(new uint8_t[data_->size()], [](uint8_t* all) { delete[] all; });
    if (!data_->empty()) std::memcpy(bytes.get(), data_->data(), data_->size());
    data_->clear();
    return bytes;
  }
  const std::vector<AscendString>& texts() const { return *texts_; }
  // Whether the bytes are as many as type and shape ask for; a shape without elements is not looked at.
  graphStatus IsValid() const {
    const Shape shape = desc_.GetShape();
    const int64_t elements = shape.GetDimNum() == 0 ? 1 : shape.GetShapeSize();
    const int64_t bytes = elements < 0 ? -1 : GetSizeInBytes(elements, desc_.GetDataType());
    return bytes < 0 || static_cast<size_t>(bytes) == data_->size() ? GRAPH_SUCCESS : GRAPH_FAILED;
  }

  // Parts of the description.
  Format GetFormat() const { return desc_.GetFormat(); }
  graphStatus SetFormat(const Format& format) { return desc_.SetFormat(format), GRAPH_SUCCESS; }
  Format GetOriginFormat() const { return desc_.GetOriginFormat(); }
  graphStatus SetOriginFormat(const Format& format) { return desc_.SetOriginFormat(format), GRAPH_SUCCESS; }
  DataType GetDataType() const { return desc_.GetDataType(); }
  graphStatus SetDataType(const DataType& dtype) { return desc_.SetDataType(dtype), GRAPH_SUCCESS; }
  Placement GetPlacement() const { return desc_.GetPlacement(); }
  graphStatus SetPlacement(const Placement& placement) { return desc_.SetPlacement(placement), GRAPH_SUCCESS; }
  graphStatus SetExpandDimsRule(const AscendString& rule) { return desc_.SetExpandDimsRule(rule), GRAPH_SUCCESS; }
  size_t GetShapeDimNum() const { return desc_.GetShape().GetDimNum(); }
  int64_t GetShapeDim(const size_t index) const { return desc_.GetShape().GetDim(index); }
  graphStatus SetShapeDimNum(const size_t count) {
    return desc_.SetShape(Shape(Resized(desc_.GetShape(), count))), GRAPH_SUCCESS;
  }
  graphStatus SetShapeDim(const size_t index, const int64_t value) {
    Shape shape = desc_.GetShape();
    if (shape.SetDim(index, value) != GRAPH_SUCCESS) return GRAPH_FAILED;
    return desc_.SetShape(shape), GRAPH_SUCCESS;
  }
  size_t GetOriginShapeDimNum() const { return desc_.GetOriginShape().GetDimNum(); }
  int64_t GetOriginShapeDim(const size_t index) const { return desc_.GetOriginShape().GetDim(index); }
  graphStatus SetOriginShapeDimNum(const size_t count) {
    return desc_.SetOriginShape(Shape(Resized(desc_.GetOriginShape(), count))), GRAPH_SUCCESS;
  }
  graphStatus SetOriginShapeDim(const size_t index, const int64_t value) {
    Shape shape = desc_.GetOriginShape();
    if (shape.SetDim(index, value) != GRAPH_SUCCESS) return GRAPH_FAILED;
    return desc_.SetOriginShape(shape), GRAPH_SUCCESS;
  }

  Tensor Clone() const {
    Tensor copy(desc_, *data_);
    *copy.texts_ = *texts_;
    return copy;
  }

 private:
  static std::vector<int64_t> Resized(const Shape& shape, size_t count) {
    std::vector<int64_t> dims = shape.GetDims();
    dims.resize(count, 0);
    return dims;
  }

  TensorDesc desc_;
  std::shared_ptr<std::vector<uint8_t>> data_;
  std::shared_ptr<std::vector<AscendString>> texts_;  // of a tensor of strings
};

}  // namespace ge
