#include "compiler/om/proto_attr.h"

#include <fmt/format.h>

#include <cstring>

#include "compiler/io/utf8.h"
#include "compiler/ir/shape_limit.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/serialize.h"

namespace atc {
namespace {

namespace pb = openatc::ge;
using List = pb::AttrDef::ListValue;

constexpr int kLargestShownType = 31;
constexpr int kMaxSequenceDepth = 8;

std::vector<int64_t> Ints(const auto& field) { return {field.begin(), field.end()}; }

void SetInts(const std::vector<int64_t>& values, pb::AttrDef* to) {
  List& list = *to->mutable_list();
  list.mutable_i()->Add(values.begin(), values.end());
  list.set_val_type(List::VT_LIST_INT);
}

// One overload a kind of attribute.
struct AttrWriter {
  pb::AttrDef* to;

  void operator()(int64_t value) const { to->set_i(value); }
  void operator()(float value) const { to->set_f(value); }
  void operator()(bool value) const { to->set_b(value); }
  void operator()(const std::string& value) const { to->set_s(value); }
  void operator()(DataType value) const {
    if (value >= 0 && value <= kLargestShownType) {
      to->set_dt(value);
    } else {
      to->mutable_func()->set_name(std::string(DataTypeName(value)));
    }
  }
  void operator()(const Tensor& value) const { ToProto(value, to->mutable_t()); }
  void operator()(const std::vector<int64_t>& values) const { SetInts(values, to); }
  void operator()(const std::vector<float>& values) const {
    to->mutable_list()->mutable_f()->Add(values.begin(), values.end());
    to->mutable_list()->set_val_type(List::VT_LIST_FLOAT);
  }
  void operator()(const std::vector<bool>& values) const {
    to->mutable_list()->mutable_b()->Add(values.begin(), values.end());
    to->mutable_list()->set_val_type(List::VT_LIST_BOOL);
  }
  void operator()(const std::vector<std::string>& values) const {
    for (const std::string& value : values) to->mutable_list()->add_s(value);
    to->mutable_list()->set_val_type(List::VT_LIST_STRING);
  }
  void operator()(const std::vector<std::vector<int64_t>>& rows) const {
    auto& list = *to->mutable_list_list_int();
    for (const auto& row : rows) list.add_list_list_i()->mutable_list_i()->Add(row.begin(), row.end());
  }
};

AttrValue ListFromProto(const List& list) {
  switch (list.val_type()) {
    case List::VT_LIST_STRING: return std::vector<std::string>(list.s().begin(), list.s().end());
    case List::VT_LIST_FLOAT: return std::vector<float>(list.f().begin(), list.f().end());
    case List::VT_LIST_BOOL: return std::vector<bool>(list.b().begin(), list.b().end());
    case List::VT_LIST_INT: return Ints(list.i());
    default: throw BadMessage{fmt::format("a list of kind {}", static_cast<int>(list.val_type()))};
  }
}

DataType KnownDataType(int64_t number) {
  const auto dtype = static_cast<DataType>(number);
  if (number < 0 || number > kLargestShownType || (DataTypeName(dtype) == "DT_UNDEFINED" && number != DT_UNDEFINED)) {
    throw BadMessage{fmt::format("the data type number {}", number)};
  }
  return dtype;
}

void AppendBlob(std::string_view bytes, std::string* to) {
  uint64_t length = bytes.size();
  for (size_t i = 0; i < sizeof(length); ++i, length >>= 8) to->push_back(static_cast<char>(length & 0xFF));
  to->append(bytes);
}

// Takes one blob off the front.
std::string_view TakeBlob(std::string_view* from) {
  uint64_t length = 0;
  if (from->size() < sizeof(length)) throw BadMessage{"elements of a string tensor that end too early"};
  for (size_t i = sizeof(length); i-- > 0;) length = length << 8 | static_cast<unsigned char>((*from)[i]);
  from->remove_prefix(sizeof(length));
  if (length > from->size()) throw BadMessage{"an element of a string tensor that is longer than the rest of it"};
  const std::string_view blob = from->substr(0, length);
  from->remove_prefix(length);
  return blob;
}

Tensor TensorFromProto(const pb::TensorDef& from, int depth) {
  const DataType dtype = GetDataType(from.desc());
  if (dtype == DT_UNDEFINED) return {};
  Shape shape = CheckedShape(Ints(from.desc().shape().dim()));
  std::string_view data = from.data();
  if (dtype != DT_STRING && dtype != DT_VARIANT) {
    const size_t bytes = CheckedBytes(dtype, shape);
    if (bytes != data.size()) {
      throw BadMessage{fmt::format("a {} tensor {} of {} bytes, it takes {}", DataTypeName(dtype), ToString(shape),
                                   data.size(), bytes)};
    }
    Tensor tensor = Tensor::Allocate(dtype, std::move(shape));
    if (bytes > 0) std::memcpy(tensor.MutableData(), data.data(), bytes);
    return tensor;
  }
  // Each element takes its length at least: a huge shape over few bytes asks for no memory.
  if (!shape.IsKnown() || static_cast<uint64_t>(shape.NumElements()) > data.size() / sizeof(uint64_t)) {
    throw BadMessage{fmt::format("a tensor {} whose elements are not all there", ToString(shape))};
  }
  if (depth > kMaxSequenceDepth) throw BadMessage{"sequences nested too deeply"};
  Tensor tensor = Tensor::Allocate(dtype, std::move(shape));
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    const std::string_view blob = TakeBlob(&data);
    if (dtype == DT_STRING) {
      tensor.MutableData<std::string>()[i] = blob;
    } else {
      pb::TensorDef element;
      if (!Parse(blob, &element)) throw BadMessage{"an element of a sequence that is no tensor"};
      tensor.MutableData<Tensor>()[i] = TensorFromProto(element, depth + 1);
    }
  }
  return tensor;
}

TensorDesc DescFromProto(const pb::TensorDescriptor& from, int depth) {
  if (depth > kMaxSequenceDepth) throw BadMessage{"sequences nested too deeply"};
  TensorDesc desc;
  desc.dtype = GetDataType(from);
  desc.shape = CheckedShape(Ints(from.shape().dim()));
  desc.format = FormatFromName(from.layout());
  const auto find = [&](const char* name) {
    const auto it = from.attr().find(name);
    return it == from.attr().end() ? nullptr : &it->second;
  };
  if (const auto* format = find("origin_format")) desc.origin_format = FormatFromName(format->s());
  const auto* origin_shape = find("origin_shape");
  desc.origin_shape = origin_shape ? CheckedShape(Ints(origin_shape->list().i())) : desc.shape;
  if (const auto* ranges = find("origin_shape_range")) {
    for (const auto& row : ranges->list_list_int().list_list_i()) {
      if (row.list_i_size() != 2) throw BadMessage{fmt::format("a range of {} numbers", row.list_i_size())};
      desc.ranges.push_back({row.list_i(0), row.list_i(1)});
    }
    if (desc.ranges.size() != desc.origin_shape.rank()) throw BadMessage{"ranges that do not match the shape"};
  }
  if (const auto* symbols = find("_symbols")) {
    desc.symbols.assign(symbols->list().s().begin(), symbols->list().s().end());
    if (desc.symbols.size() != desc.origin_shape.rank()) throw BadMessage{"symbols that do not match the shape"};
  }
  if (const auto* optional = find("_optional")) desc.optional = optional->b();
  if (const auto* element = find("_element")) {
    desc.element = std::make_shared<const TensorDesc>(DescFromProto(element->td(), depth + 1));
  }
  return desc;
}

}  // namespace

Shape CheckedShape(std::vector<int64_t> dims) {
  for (const int64_t dim : dims) {
    if (dim < kUnknownRank || (dim == kUnknownRank && dims.size() != 1)) {
      throw BadMessage{fmt::format("a dim of {}", dim)};
    }
  }
  Shape shape(std::move(dims));
  if (!IsCountable(shape)) throw BadMessage{"a shape of too many elements: " + ToString(shape)};
  return shape;
}

size_t CheckedBytes(DataType dtype, const Shape& shape) {
  if (!shape.IsKnown()) throw BadMessage{"a tensor of unknown shape " + ToString(shape)};
  return DataTypeBytes(dtype, shape.NumElements());
}

void SetDataType(DataType dtype, pb::TensorDescriptor* to) {
  const int number = GeProtoNumber(dtype);
  if (number > 0 && number <= kLargestShownType) {
    to->set_dtype(static_cast<pb::DataType>(number));
  } else if (dtype != DT_UNDEFINED) {
    (*to->mutable_attr())["_dtype"].set_s(std::string(DataTypeName(dtype)));
  }
}

DataType GetDataType(const pb::TensorDescriptor& from) {
  const auto it = from.attr().find("_dtype");
  return it != from.attr().end() ? DataTypeFromName(it->second.s()) : DataTypeFromGeProto(from.dtype());
}

void ToProtoDesc(DataType dtype, const Shape& shape, pb::TensorDescriptor* to) {
  SetDataType(dtype, to);
  to->mutable_shape()->mutable_dim()->Add(shape.dims().begin(), shape.dims().end());
}

void ToProto(const TensorDesc& desc, pb::TensorDescriptor* to) {
  ToProtoDesc(desc.dtype, desc.shape, to);
  to->set_layout(std::string(FormatName(desc.format)));
  to->set_has_out_attr(true);
  to->set_device_type("NPU");
  auto& attrs = *to->mutable_attr();
  attrs["format_for_int"].set_i(desc.format);
  attrs["origin_format"].set_s(std::string(FormatName(desc.origin_format)));
  attrs["origin_format_for_int"].set_i(desc.origin_format);
  if (desc.dtype != DT_UNDEFINED) attrs["origin_data_type"].set_s(std::string(DataTypeName(desc.dtype)));
  attrs["origin_shape_initialized"].set_b(true);
  SetInts(desc.origin_shape.dims(), &attrs["origin_shape"]);
  if (!desc.ranges.empty()) {
    auto& rows = *attrs["origin_shape_range"].mutable_list_list_int();
    for (const DimRange& range : desc.ranges) {
      auto& row = *rows.add_list_list_i();
      row.add_list_i(range.min);
      row.add_list_i(range.max);
    }
  }
  if (desc.optional) attrs["_optional"].set_b(true);
  if (desc.element) ToProto(*desc.element, attrs["_element"].mutable_td());
  if (!desc.symbols.empty()) {
    pb::AttrDef& symbols = attrs["_symbols"];
    for (const std::string& symbol : desc.symbols) symbols.mutable_list()->add_s(symbol);
    symbols.mutable_list()->set_val_type(List::VT_LIST_STRING);
  }
}

TensorDesc FromProto(const pb::TensorDescriptor& from) { return DescFromProto(from, 0); }

void ToProto(const AttrValue& value, pb::AttrDef* to) { std::visit(AttrWriter{to}, value); }


AttrValue FromProto(const pb::AttrDef& from) {
  switch (from.value_case()) {
    case pb::AttrDef::kI: return from.i();
    case pb::AttrDef::kF: return from.f();
    case pb::AttrDef::kB: return from.b();
    case pb::AttrDef::kS: return from.s();
    case pb::AttrDef::kDt: return KnownDataType(from.dt());
    case pb::AttrDef::kFunc: {
      const DataType dtype = DataTypeFromName(from.func().name());
      if (dtype == DT_UNDEFINED) throw BadMessage{"the data type name '" + EscapeInvalidUtf8(from.func().name()) + "'"};
      return dtype;
    }
    case pb::AttrDef::kT: return FromProto(from.t());
    case pb::AttrDef::kList: return ListFromProto(from.list());
    case pb::AttrDef::kListListInt: {
      std::vector<std::vector<int64_t>> rows;
      for (const auto& row : from.list_list_int().list_list_i()) rows.push_back(Ints(row.list_i()));
      return rows;
    }
    default: throw BadMessage{fmt::format("an attribute of kind {}", static_cast<int>(from.value_case()))};
  }
}

void ToProto(const Tensor& maybe_deferred, pb::TensorDef* to) {
  const Tensor tensor = maybe_deferred.Materialized();
  ToProtoDesc(tensor.dtype(), tensor.shape(), to->mutable_desc());
  to->mutable_desc()->set_layout(std::string(FormatName(FORMAT_ND)));
  std::string& data = *to->mutable_data();
  if (tensor.dtype() == DT_STRING) {
    for (const std::string& element : tensor.Span<std::string>()) AppendBlob(element, &data);
  } else if (tensor.dtype() == DT_VARIANT) {
    for (const Tensor& element : tensor.Span<Tensor>()) {
      pb::TensorDef message;
      ToProto(element, &message);
      AppendBlob(message.SerializeAsString(), &data);
    }
  } else if (tensor.defined()) {
    data.assign(tensor.Data<char>(), tensor.NumBytes());
  }
}

Tensor FromProto(const pb::TensorDef& from) { return TensorFromProto(from, 0); }

}  // namespace atc
