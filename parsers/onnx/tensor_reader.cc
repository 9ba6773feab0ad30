#include "parsers/onnx/tensor_reader.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <charconv>
#include <cstring>
#include <algorithm>
#include <filesystem>

#include "compiler/ir/error.h"
#include "parsers/tensor_data.h"

namespace atc::onnx_parser {
namespace {

constexpr int kRawData = 9;
constexpr int kStringData = 6;

// Which typed field holds a type, and how many bytes of the tensor one of its numbers stands for. Types below a byte
// are packed: a number is a whole byte.
struct TypedField {
  int number;
  const char* name;
  int unit;
};

TypedField FieldOf(DataType dtype) {
  switch (dtype) {
    case DT_FLOAT:
    case DT_COMPLEX64: return {4, "float_data", 4};
    case DT_DOUBLE:
    case DT_COMPLEX128: return {10, "double_data", 8};
    case DT_INT64: return {7, "int64_data", 8};
    case DT_UINT64: return {11, "uint64_data", 8};
    case DT_UINT32: return {11, "uint64_data", 4};
    case DT_INT32: return {5, "int32_data", 4};
    case DT_INT16:
    case DT_UINT16:
    case DT_FLOAT16:
    case DT_BF16: return {5, "int32_data", 2};
    default: return {5, "int32_data", 1};
  }
}

constexpr bool IsFixedWidth(int field) { return field == 4 || field == 10; }
constexpr WireType WireTypeOf(int field) { return field == 4 ? kFixed32 : field == 10 ? kFixed64 : kVarint; }

std::string Describe(const onnx::TensorProto& proto) {
  return fmt::format("tensor '{}' (data_type {}, dims [{}])", proto.name(), proto.data_type(),
                     fmt::join(proto.dims(), ","));
}

[[noreturn]] void Fail(const onnx::TensorProto& proto, const std::string& reason) {
  throw Error("E13014",
              {{"value", fmt::format("data_type {} with dims [{}]", proto.data_type(), fmt::join(proto.dims(), ","))},
               {"parameter", "The tensor"},
               {"opname", proto.name()},
               {"reason", reason}},
              "Export the model anew; the file may have been changed or cut.");
}

DataType TypeOf(const onnx::TensorProto& proto) {
  const DataType dtype = DataTypeFromOnnx(proto.data_type());
  if (dtype == DT_UNDEFINED) Fail(proto, fmt::format("data_type {} is none that is known", proto.data_type()));
  return dtype;
}

Shape ShapeOf(const onnx::TensorProto& proto) {
  Shape shape(std::vector<int64_t>(proto.dims().begin(), proto.dims().end()));
  int64_t count = 1;
  bool empty = false;
  for (const int64_t dim : shape.dims()) {
    if (dim < 0) Fail(proto, fmt::format("the dim {} is negative", dim));
    empty |= dim == 0;
  }
  for (const int64_t dim : shape.dims()) {
    // 2^48 elements are more than any memory, and leave room for their bytes in 64 bits.
    if (!empty && dim > (int64_t{1} << 48) / count) Fail(proto, "the dims ask for more elements than can be");
    if (!empty) count *= dim;
  }
  return shape;
}

// The tensor of a typed field, whose numbers are as many as wanted.
Tensor Decode(const ModelFile& file, const TensorPayload::Field& field, int unit, DataType dtype, const Shape& shape) {
  Tensor tensor = Tensor::Allocate(dtype, shape);
  std::byte* to = tensor.MutableData();
  ForEachNumber(file, field, WireTypeOf(field.number), [&](uint64_t value) {
    std::memcpy(to, &value, unit);  // little-endian, as the file is
    to += unit;
  });
  return tensor;
}

Tensor ReadStrings(const onnx::TensorProto& proto, const ModelFile& file, const TensorPayload& payload, Shape shape) {
  // Counted before anything is allocated: dims alone may ask for any amount.
  std::vector<std::string> strings;
  if (const TensorPayload::Field* field = payload.Find(kStringData)) {
    for (const Segment& segment : field->segments) {
      WireReader reader(file, segment.offset, segment.offset + segment.size);
      while (!reader.done()) {
        int number = 0;
        int wire_type = 0;
        reader.Tag(&number, &wire_type);
        if (wire_type != kBytes) reader.Fail(reader.offset(), "string_data holds a number");
        const uint64_t size = reader.Length();
        strings.emplace_back(reinterpret_cast<const char*>(file.data()) + reader.offset(), size);
        reader.Skip(size);
      }
    }
  }
  if (strings.size() != static_cast<size_t>(shape.NumElements())) {
    Fail(proto, fmt::format("string_data has {} strings, the dims ask for {}", strings.size(), shape.NumElements()));
  }
  return Tensor::From(DT_STRING, std::move(shape), strings);
}

uint64_t ParseNumber(const onnx::TensorProto& proto, const std::string& key, const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    Fail(proto, fmt::format("external data: {} '{}' is no number", key, text));
  }
  return value;
}

}  // namespace

Tensor TensorReader::Read(const onnx::TensorProto& proto) {
  const DataType dtype = TypeOf(proto);
  const Shape shape = ShapeOf(proto);
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) return ReadExternal(proto, dtype, shape);
  const TensorPayload& payload = payloads_.at(static_cast<size_t>(proto.segment().begin()));
  if (dtype == DT_STRING) return ReadStrings(proto, *file_, payload, shape);

  const size_t wanted = DataTypeBytes(dtype, shape.NumElements());
  const TypedField typed = FieldOf(dtype);
  const TensorPayload::Field* raw = payload.Find(kRawData);
  const TensorPayload::Field* numbers = payload.Find(typed.number);
  if (raw != nullptr || numbers == nullptr) {
    const Segment segment = raw != nullptr ? raw->segments[0] : Segment{};
    if (segment.size != wanted) {
      const char* where = raw != nullptr           ? "raw_data"
                          : payload.fields.empty() ? "no data field"
                                                   : "the field for its type";
      Fail(proto, fmt::format("{} has {} bytes, {} elements of {} take {}", where, segment.size, shape.NumElements(),
                              DataTypeName(dtype), wanted));
    }
    return TensorOfWindow(dtype, shape, file_->Window(segment.offset, segment.size));
  }
  if (IsFixedWidth(typed.number) && numbers->segments.size() == 1 && numbers->segments[0].packed) {
    const Segment& segment = numbers->segments[0];
    if (segment.size != wanted) {
      Fail(proto, fmt::format("{} has {} bytes, {} elements of {} take {}", typed.name, segment.size,
                              shape.NumElements(), DataTypeName(dtype), wanted));
    }
    return TensorOfWindow(dtype, shape, file_->Window(segment.offset, segment.size));
  }
  size_t found = 0;
  ForEachNumber(*file_, *numbers, WireTypeOf(numbers->number), [&](uint64_t) { ++found; });
  if (found != wanted / typed.unit) {
    Fail(proto, fmt::format("{} has {} numbers, the dims ask for {}", typed.name, found, wanted / typed.unit));
  }
  return SmallOrDeferred(dtype, shape, [file = file_, field = *numbers, unit = typed.unit, dtype, shape] {
    return Decode(*file, field, unit, dtype, shape);
  });
}

namespace {

bool IsWithin(const std::filesystem::path& folder, const std::filesystem::path& file) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

// Whether `data`, links followed, is in the folder of `model` or of the file that `model` is a link to: caches of models
// keep both files elsewhere and link to them.
bool LiesBeside(const std::filesystem::path& model, const std::filesystem::path& data) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(data, error);
  if (error) return true;  // it cannot be opened either
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  return IsWithin(fs::canonical(folder, error), real) || IsWithin(fs::weakly_canonical(model, error).parent_path(), real);
}

}  // namespace

std::shared_ptr<const ModelFile> TensorReader::ExternalFile(const onnx::TensorProto& proto,
                                                            const std::string& location) {
  namespace fs = std::filesystem;
  const fs::path relative = fs::path(location).lexically_normal();
  if (location.empty() || relative.is_absolute() || relative.begin()->string() == "..") {
    Fail(proto, fmt::format("external data: location '{}' is not inside the model's folder", location));
  }
  const std::string path = (fs::path(file_->path()).parent_path() / relative).string();
  if (!LiesBeside(file_->path(), path)) {
    Fail(proto, fmt::format("external data: '{}' is a link that leads out of the model's folder", path));
  }
  auto it = external_.find(path);
  if (it == external_.end()) {
    try {
      it = external_.emplace(path, ModelFile::MapReferenced(path)).first;
    } catch (Error& error) {
      error.At(Describe(proto));
      throw;
    }
  }
  return it->second;
}

Tensor TensorReader::ReadExternal(const onnx::TensorProto& proto, DataType dtype, const Shape& shape) {
  if (dtype == DT_STRING) Fail(proto, "strings cannot be external data");
  std::string location;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool has_length = false;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = ParseNumber(proto, "offset", entry.value());
    if (entry.key() == "length") {
      length = ParseNumber(proto, "length", entry.value());
      has_length = true;
    }
  }
  const std::shared_ptr<const ModelFile> file = ExternalFile(proto, location);
  if (offset > file->size()) {
    Fail(proto, fmt::format("external data: offset {} is past the end of '{}', which has {} bytes", offset,
                            file->path(), file->size()));
  }
  if (!has_length) length = file->size() - offset;
  const size_t wanted = DataTypeBytes(dtype, shape.NumElements());
  if (length != wanted) {
    Fail(proto, fmt::format("external data: '{}' gives {} bytes at offset {}, {} elements of {} take {}", file->path(),
                            length, offset, shape.NumElements(), DataTypeName(dtype), wanted));
  }
  if (length > file->size() - offset) {
    Fail(proto, fmt::format("external data: {} bytes at offset {} are wanted, '{}' has {} bytes", length, offset,
                            file->path(), file->size()));
  }
  return TensorOfWindow(dtype, shape, file->Window(offset, length));
}

Tensor TensorReader::ReadSparse(const onnx::SparseTensorProto& proto) {
  const Tensor values = Read(proto.values()).Materialized();
  const Tensor indices = Read(proto.indices()).Materialized();
  onnx::TensorProto whole;  // for messages, and to check the dims
  whole.set_name(proto.values().name());
  whole.set_data_type(proto.values().data_type());
  *whole.mutable_dims() = proto.dims();
  const Shape shape = ShapeOf(whole);
  const int64_t total = shape.NumElements();
  const auto rank = static_cast<int64_t>(shape.rank());
  const int64_t count = values.NumElements();
  const bool linear = indices.rank() == 1 && indices.NumElements() == count;
  const bool tuples = indices.rank() == 2 && indices.dim(0) == count && indices.dim(1) == rank;
  if (values.rank() != 1 || indices.dtype() != DT_INT64 || !(linear || tuples)) {
    Fail(whole,
         fmt::format(
             "a sparse tensor of rank {} has values {} and indices {}; wanted are [n] and [n] or [n,{}] of int64", rank,
             ToString(values.shape()), ToString(indices.shape()), rank));
  }
  if (values.dtype() == DT_STRING || DataTypeBits(values.dtype()) < 8)
    Fail(whole, "a sparse tensor of this type is not supported");
  // A dense tensor of this size is made; its elements must be worth it: at most a million times the stored ones.
  if (total > (int64_t{1} << 20) * (count + 64)) Fail(whole, "the sparse tensor is too sparse to be made dense");
  Tensor dense = Tensor::Allocate(values.dtype(), shape);
  const size_t width = DataTypeBits(values.dtype()) / 8;
  const std::vector<int64_t> strides = shape.Strides();
  const int64_t* index = indices.Data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0;
    if (linear) {
      at = index[i];
      if (at < 0 || at >= total) Fail(whole, fmt::format("index {} is outside of {} elements", at, total));
    } else {
      for (int64_t d = 0; d < rank; ++d) {
        const int64_t k = index[i * rank + d];
        if (k < 0 || k >= shape[d]) Fail(whole, fmt::format("index {} on axis {} is outside of {}", k, d, shape[d]));
        at += k * strides[d];
      }
    }
    std::memcpy(dense.MutableData() + at * width, values.Data() + i * width, width);
  }
  return dense;
}

}  // namespace atc::onnx_parser
