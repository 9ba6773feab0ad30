#include "parsers/tensorflow/types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "compiler/ir/error.h"
#include "parsers/tensor_data.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {
namespace {

struct TypeRow {
  int number;
  DataType dtype;
  int field;        // of TensorProto, which lists the values
  WireType single;  // of one value
  int unit;         // bytes of the tensor that one value stands for
};

constexpr int kContent = 4;
constexpr int kStrings = 8;
constexpr int kFloat8 = 18;
constexpr int64_t kMaxRepeated = int64_t{1} << 30;  // elements that fewer values may stand for

// Quantised types come after the integers that they are stored as, so that the inverse finds these.
constexpr TypeRow kTypes[] = {
    {1, DT_FLOAT, 5, kFixed32, 4},
    {2, DT_DOUBLE, 6, kFixed64, 8},
    {3, DT_INT32, 7, kVarint, 4},
    {4, DT_UINT8, 7, kVarint, 1},
    {5, DT_INT16, 7, kVarint, 2},
    {6, DT_INT8, 7, kVarint, 1},
    {7, DT_STRING, kStrings, kBytes, 0},
    {8, DT_COMPLEX64, 9, kFixed32, 4},
    {9, DT_INT64, 10, kVarint, 8},
    {10, DT_BOOL, 11, kVarint, 1},
    {14, DT_BF16, 13, kVarint, 2},
    {17, DT_UINT16, 7, kVarint, 2},
    {18, DT_COMPLEX128, 12, kFixed64, 8},
    {19, DT_FLOAT16, 13, kVarint, 2},
    {21, DT_VARIANT, 0, kBytes, 0},
    {22, DT_UINT32, 16, kVarint, 4},
    {23, DT_UINT64, 17, kVarint, 8},
    {24, DT_FLOAT8_E5M2, kFloat8, kBytes, 1},
    {25, DT_FLOAT8_E4M3FN, kFloat8, kBytes, 1},
    {11, DT_INT8, 7, kVarint, 1},
    {12, DT_UINT8, 7, kVarint, 1},
    {13, DT_INT32, 7, kVarint, 4},
    {15, DT_INT16, 7, kVarint, 2},
    {16, DT_UINT16, 7, kVarint, 2},
    {20, DT_VARIANT, 0, kBytes, 0},
};

constexpr int kReference = 100;  // added to a type for a reference to a variable of it

const TypeRow* FindType(int number) {
  if (number > kReference) number -= kReference;
  const auto* row = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow& r) { return r.number == number; });
  return row == std::end(kTypes) ? nullptr : row;
}

[[noreturn]] void Fail(const proto::TensorProto& tensor, const std::string& node, const std::string& reason) {
  throw Error("E13014",
              {{"value", fmt::format("of type {} and shape {}", static_cast<int>(tensor.dtype()),
                                     ToString(ShapeFrom(tensor.tensor_shape())))},
               {"parameter", "The tensor"},
               {"opname", node},
               {"reason", reason}},
              "Export the model anew; the file may have been changed or cut.");
}

Shape CheckedShape(const proto::TensorProto& tensor, const std::string& node) {
  Shape shape = ShapeFrom(tensor.tensor_shape());
  if (!shape.IsKnown()) Fail(tensor, node, "a constant has a dim that is not known");
  int64_t count = 1;
  const bool empty = std::find(shape.dims().begin(), shape.dims().end(), 0) != shape.dims().end();
  for (const int64_t dim : shape.dims()) {
    // 2^48 elements are more than any memory, and leave room for their bytes in 64 bits.
    if (!empty && dim > (int64_t{1} << 48) / count) Fail(tensor, node, "the dims ask for more elements than can be");
    if (!empty) count *= dim;
  }
  return shape;
}

std::vector<std::string> StringsOf(const ModelFile& file, const TensorPayload& payload) {
  std::vector<std::string> strings;
  const TensorPayload::Field* field = payload.Find(kStrings);
  if (field == nullptr) return strings;
  for (const Segment& segment : field->segments) {
    WireReader reader(file, segment.offset, segment.offset + segment.size);
    while (!reader.done()) {
      int number = 0;
      int wire_type = 0;
      reader.Tag(&number, &wire_type);
      const uint64_t size = reader.Length();
      strings.emplace_back(reinterpret_cast<const char*>(file.data()) + reader.offset(), size);
      reader.Skip(size);
    }
  }
  return strings;
}

// `unit` bytes a number; the last one is repeated up to the end.
Tensor Decode(const ModelFile& file, const TensorPayload::Field* field, const TypeRow& row, const Shape& shape) {
  Tensor tensor = Tensor::Allocate(row.dtype, shape);
  if (field == nullptr) return tensor;
  std::byte* const begin = tensor.MutableData();
  std::byte* to = begin;
  ForEachNumber(file, *field, row.single, [&](uint64_t value) {
    std::memcpy(to, &value, static_cast<size_t>(row.unit));  // little-endian, as the file is
    to += row.unit;
  });
  const auto element = static_cast<size_t>(DataTypeBits(row.dtype) / 8);
  for (std::byte* const end = begin + tensor.NumBytes(); to != begin && to < end; to += element) {
    std::memcpy(to, to - element, element);
  }
  return tensor;
}

}  // namespace

DataType DataTypeFromTf(int number) {
  const TypeRow* row = FindType(number);
  return row == nullptr ? DT_UNDEFINED : row->dtype;
}

int TfNumber(DataType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return row.number;
  }
  return 0;
}

Shape ShapeFrom(const proto::ShapeProto& shape) {
  if (shape.unknown_rank()) return Shape::UnknownRank();
  std::vector<int64_t> dims;
  for (const proto::Dimension& dim : shape.dim()) dims.push_back(dim.size() < 0 ? kUnknownDim : dim.size());
  return Shape(std::move(dims));
}

Tensor TensorReader::Read(const proto::TensorProto& proto, const std::string& node) const {
  const TypeRow* row = FindType(proto.dtype());
  if (row == nullptr || row->dtype == DT_VARIANT) {
    Fail(proto, node, fmt::format("a constant of type {} has no values that can be read", static_cast<int>(proto.dtype())));
  }
  const Shape shape = CheckedShape(proto, node);
  const int64_t count = shape.NumElements();
  const TensorPayload& payload = payloads_.at(proto.payload());
  if (row->dtype == DT_STRING) {
    std::vector<std::string> strings = StringsOf(*file_, payload);
    if (static_cast<int64_t>(strings.size()) > count || (static_cast<int64_t>(strings.size()) < count && count > kMaxRepeated)) {
      Fail(proto, node, fmt::format("it has {} strings, the shape asks for {}", strings.size(), count));
    }
    strings.resize(static_cast<size_t>(count), strings.empty() ? std::string() : strings.back());
    return Tensor::From(DT_STRING, shape, strings);
  }
  const size_t wanted = DataTypeBytes(row->dtype, count);
  for (const int bytes : {kContent, kFloat8}) {
    const TensorPayload::Field* content = payload.Find(bytes);
    if (content == nullptr) continue;
    const Segment& segment = content->segments[0];
    if (segment.size != wanted) {
      Fail(proto, node, fmt::format("its content has {} bytes, {} elements of {} take {}", segment.size, count,
                                    DataTypeName(row->dtype), wanted));
    }
    return TensorOfWindow(row->dtype, shape, file_->Window(segment.offset, segment.size));
  }
  const TensorPayload::Field* numbers = payload.Find(row->field);
  const bool whole = numbers != nullptr && row->single != kVarint && numbers->segments.size() == 1 &&
                     numbers->segments[0].packed && numbers->segments[0].size == wanted;
  if (whole) return TensorOfWindow(row->dtype, shape, file_->Window(numbers->segments[0].offset, wanted));
  size_t found = 0;
  if (numbers != nullptr) ForEachNumber(*file_, *numbers, row->single, [&](uint64_t) { ++found; });
  if (found * static_cast<size_t>(row->unit) > wanted) {
    Fail(proto, node, fmt::format("it has {} numbers, the shape asks for {} elements", found, count));
  }
  if (found < static_cast<size_t>(count) && count > kMaxRepeated) {
    Fail(proto, node, fmt::format("it has {} numbers, the shape asks for {} elements", found, count));
  }
  return SmallOrDeferred(row->dtype, shape,
                         [file = file_, field = numbers ? std::optional(*numbers) : std::nullopt, row = *row, shape] {
                           return Decode(*file, field ? &*field : nullptr, row, shape);
                         });
}

}  // namespace atc::tf_parser
