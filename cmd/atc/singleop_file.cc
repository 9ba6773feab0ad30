#include "cmd/atc/singleop_file.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "cmd/atc/config_file.h"
#include "cmd/atc/dtype_words.h"
#include "compiler/ir/ascend_aliases.h"
#include "compiler/ir/error.h"
#include "compiler/ir/half.h"
#include "compiler/ir/nearest_names.h"
#include "compiler/interface_layout.h"
#include "compiler/storage_view.h"

namespace atc::cli {
namespace {

using nlohmann::json;

constexpr size_t kMaxFileName = 128;
constexpr int64_t kMaxConstElements = 1 << 20;

// Where a fault is, for the messages.
struct Place {
  const std::string& op;
  const char* side;  // "input" or "output"
  size_t index;

  Error Bad(const char* attr, const std::string& why) const {
    return Error("E10027", {{"attr", attr},
                            {"input_output", side},
                            {"index", std::to_string(index)},
                            {"op_name", op},
                            {"reason", why}});
  }
};

std::vector<int64_t> Ints(const json& list, const Place& place, const char* attr) {
  if (!list.is_array()) throw place.Bad(attr, "it is no list of whole numbers");
  std::vector<int64_t> values;
  for (const json& item : list) {
    if (!item.is_number_integer()) throw place.Bad(attr, "an entry is no whole number");
    values.push_back(item.get<int64_t>());
  }
  return values;
}

Shape ReadShape(const json& tensor, const Place& place, const char* attr) {
  const std::vector<int64_t> dims = Ints(tensor.at(attr), place, attr);
  for (const int64_t dim : dims) {
    const bool unknown_rank = dim == kUnknownRank && dims.size() == 1;
    if (dim < kUnknownDim && !unknown_rank) throw place.Bad(attr, "a dim is neither a size nor -1");
  }
  return Shape(dims);
}

template <typename T>
Tensor NumbersAs(DataType dtype, const Shape& shape, const std::vector<double>& numbers, const Place& place) {
  std::vector<T> values;
  for (const double number : numbers) {
    constexpr double kLeast = static_cast<double>(std::numeric_limits<T>::lowest());
    constexpr double kMost = static_cast<double>(std::numeric_limits<T>::max());
    if (std::is_integral_v<T> && !(number == std::floor(number) && number >= kLeast && number <= kMost)) {
      throw place.Bad("const_value", fmt::format("{} does not fit the type", number));
    }
    values.push_back(static_cast<T>(number));
  }
  return Tensor::From<T>(dtype, shape, values);
}

Tensor HalfTensor(const Shape& shape, const std::vector<double>& numbers) {
  Tensor tensor = Tensor::Allocate(DT_FLOAT16, shape);
  for (size_t i = 0; i < numbers.size(); ++i) {
    tensor.MutableData<uint16_t>()[i] = FloatToHalf(static_cast<float>(numbers[i]));
  }
  return tensor;
}

Tensor ReadConst(const json& tensor, const TensorDesc& desc, const Place& place) {
  const auto found = tensor.find("const_value");
  if (found == tensor.end() || !found->is_array()) throw place.Bad("const_value", "a constant has a list of numbers");
  if (!desc.shape.IsKnown()) throw place.Bad("shape", "that of a constant is known");
  std::vector<double> numbers;
  for (const json& item : *found) {
    if (!item.is_number() && !item.is_boolean()) throw place.Bad("const_value", "an entry is no number");
    numbers.push_back(item.is_boolean() ? item.get<bool>() : item.get<double>());
  }
  if (desc.shape.NumElements() > kMaxConstElements || static_cast<int64_t>(numbers.size()) != desc.shape.NumElements()) {
    throw place.Bad("const_value", fmt::format("{} numbers for the shape {}", numbers.size(), ToString(desc.shape)));
  }
  switch (desc.dtype) {
    case DT_FLOAT: return NumbersAs<float>(desc.dtype, desc.shape, numbers, place);
    case DT_DOUBLE: return NumbersAs<double>(desc.dtype, desc.shape, numbers, place);
    case DT_FLOAT16: return HalfTensor(desc.shape, numbers);
    case DT_INT8: return NumbersAs<int8_t>(desc.dtype, desc.shape, numbers, place);
    case DT_INT16: return NumbersAs<int16_t>(desc.dtype, desc.shape, numbers, place);
    case DT_INT32: return NumbersAs<int32_t>(desc.dtype, desc.shape, numbers, place);
    case DT_INT64: return NumbersAs<int64_t>(desc.dtype, desc.shape, numbers, place);
    case DT_UINT8:
    case DT_BOOL: return NumbersAs<uint8_t>(desc.dtype, desc.shape, numbers, place);
    case DT_UINT16: return NumbersAs<uint16_t>(desc.dtype, desc.shape, numbers, place);
    case DT_UINT32: return NumbersAs<uint32_t>(desc.dtype, desc.shape, numbers, place);
    case DT_UINT64: return NumbersAs<uint64_t>(desc.dtype, desc.shape, numbers, place);
    default: throw place.Bad("type", "constants of this type cannot be written as numbers");
  }
}

std::string Text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// That the storage can hold what the framework sees. Equal shapes with ND on one side are no storage format.
void CheckStorage(SingleOpTensor& tensor, const Place& place) {
  if (tensor.desc.origin_shape == tensor.stored.origin_shape &&
      (tensor.desc.origin_format == FORMAT_ND || tensor.stored.origin_format == FORMAT_ND)) {
    tensor.stored.SetFormat(tensor.desc.origin_format);
  }
  if (!tensor.HasStorageFormat()) return;
  const Format format = tensor.stored.origin_format;
  const Shape& stored = tensor.stored.origin_shape;
  const Shape& origin = tensor.desc.origin_shape;
  const std::string views = fmt::format("{} {} and {} {}", FormatName(format), ToString(stored),
                                        FormatName(tensor.desc.origin_format), ToString(origin));
  if (!stored.IsKnown() || !origin.IsKnown()) {
    throw Error("E10055", {{"reason", fmt::format("{} {} of '{}' is {}: a storage format of open shapes", place.side,
                                                  place.index, place.op, views)}},
                "Fix the shapes, or describe the tensor without origin_format and origin_shape.");
  }
  const Shape wanted = StorageShape(format, tensor.desc.origin_format, origin, InnerOf(format, stored));
  if (!wanted.HasRank()) {
    throw Error("E10055", {{"reason", fmt::format("{} {} of '{}' is {}, and there is no way between them", place.side,
                                                  place.index, place.op, views)}},
                "Describe the tensor as the framework sees it, without origin_format and origin_shape.");
  }
  if (wanted != stored) {
    throw place.Bad("shape", fmt::format("{} of {} {} has the shape {}, not {}", FormatName(format),
                                         FormatName(tensor.desc.origin_format), ToString(origin), ToString(wanted),
                                         ToString(stored)));
  }
}

SingleOpTensor ReadTensor(const json& tensor, const Place& place) {
  if (!tensor.is_object()) throw place.Bad("description", "it is no JSON object");
  for (const char* attr : {"format", "type"}) {
    if (Text(tensor, attr).empty()) throw place.Bad(attr, "it is missing, or no text");
  }
  SingleOpTensor read;
  read.name = Text(tensor, "name");
  const std::string type = Text(tensor, "type");
  if (type == "UNDEFINED" || type == "undefined") return read;  // an optional input that is left out
  const DataType dtype = DtypeFromWord(type);
  if (dtype == DT_UNDEFINED) throw place.Bad("type", fmt::format("'{}' is no type", type));
  const std::string layout = Text(tensor, "format");
  const Format format = FormatFromName(layout);
  if (format == FORMAT_UNDEFINED) throw place.Bad("format", fmt::format("'{}' is no format", layout));
  if (!tensor.contains("shape")) throw place.Bad("shape", "it is missing");
  const Shape shape = ReadShape(tensor, place, "shape");
  const std::string origin = tensor.contains("origin_format") ? Text(tensor, "origin_format") : layout;
  if (FormatFromName(origin) == FORMAT_UNDEFINED) throw place.Bad("origin_format", fmt::format("'{}' is no format", origin));
  const Shape origin_shape = tensor.contains("origin_shape") ? ReadShape(tensor, place, "origin_shape") : shape;
  read.stored = TensorDesc(dtype, shape, format);
  read.desc = TensorDesc(dtype, origin_shape, FormatFromName(origin));
  CheckStorage(read, place);
  if (const auto found = tensor.find("shape_range"); found != tensor.end()) {
    if (!found->is_array()) throw place.Bad("shape_range", "it is no list of pairs");
    for (const json& pair : *found) {
      const std::vector<int64_t> ends = Ints(pair, place, "shape_range");
      if (ends.size() != 2 || ends[0] < 0 || (ends[1] != kUnknownDim && ends[1] < ends[0])) {
        throw place.Bad("shape_range", "an entry is no pair of a least and a greatest size");
      }
      read.desc.ranges.push_back({ends[0], ends[1]});
    }
    if (origin_shape.HasRank() && read.desc.ranges.size() != origin_shape.rank()) read.desc.ranges.clear();
  }
  read.is_const = tensor.value("is_const", json(false)) == json(true);
  if (read.is_const) read.value = ReadConst(tensor, read.stored, place);
  return read;
}

Error BadAttr(const std::string& op, const std::string& attr, const std::string& why) {
  return Error("E10030", {{"attrname", attr}, {"op_name", op}, {"reason", why}});
}

// A list of one kind of JSON value.
template <typename T>
AttrValue List(const json& value, bool (json::*is_kind)() const noexcept) {
  std::vector<T> list;
  for (const json& item : value) {
    if (!(item.*is_kind)()) throw std::invalid_argument("an entry is of another type");
    list.push_back(item.get<T>());
  }
  return list;
}

AttrValue ReadAttrValue(const std::string& type, const json& value) {
  const auto want = [](bool ok) {
    if (!ok) throw std::invalid_argument("the value is of another type");
  };
  if (type.starts_with("list_")) want(value.is_array());
  if (type == "bool") return want(value.is_boolean()), AttrValue(value.get<bool>());
  if (type == "int") return want(value.is_number_integer()), AttrValue(value.get<int64_t>());
  if (type == "float") return want(value.is_number()), AttrValue(value.get<float>());
  if (type == "string") return want(value.is_string()), AttrValue(value.get<std::string>());
  if (type == "list_bool") return List<bool>(value, &json::is_boolean);
  if (type == "list_int") return List<int64_t>(value, &json::is_number_integer);
  if (type == "list_float") return List<float>(value, &json::is_number);
  if (type == "list_string") return List<std::string>(value, &json::is_string);
  if (type == "list_list_int") {
    std::vector<std::vector<int64_t>> lists;
    for (const json& item : value) {
      want(item.is_array());
      lists.push_back(std::get<std::vector<int64_t>>(List<int64_t>(item, &json::is_number_integer)));
    }
    return lists;
  }
  if (type == "data_type") {
    want(value.is_string());
    std::string word = value.get<std::string>();
    const DataType dtype = word.starts_with("DT_") ? DataTypeFromName(word) : DtypeFromWord(word);
    want(dtype != DT_UNDEFINED);
    return dtype;
  }
  throw std::invalid_argument("there is no type '" + type + "'");
}

void ReadAttr(const json& attr, SingleOp* op) {
  const std::string name = attr.is_object() ? Text(attr, "name") : "";
  if (name.empty()) throw Error("E10029", {{"op_name", op->type}});
  const std::string type = Text(attr, "type");
  if (!attr.contains("value")) throw BadAttr(op->type, name, "the value is missing");
  try {
    op->attrs.Set(name, ReadAttrValue(type, attr.at("value")));
  } catch (const std::invalid_argument& error) {
    throw BadAttr(op->type, name, error.what());
  }
}

SingleOp ReadOp(const json& from) {
  SingleOp op;
  op.type = from.is_object() ? Text(from, "op") : "";
  if (op.type.empty()) throw Error("E10026", {});
  op.name = Text(from, "name");
  const std::pair<const char*, std::vector<SingleOpTensor>*> sides[] = {{"input", &op.inputs}, {"output", &op.outputs}};
  for (const auto& [side, tensors] : sides) {
    const auto found = from.find(std::string(side) + "_desc");
    if (found == from.end()) continue;
    if (!found->is_array()) throw Place{op.type, side, 0}.Bad("description", "they are no list");
    for (const json& tensor : *found) tensors->push_back(ReadTensor(tensor, {op.type, side, tensors->size()}));
  }
  if (const auto found = from.find("attr"); found != from.end()) {
    if (!found->is_array()) throw BadAttr(op.type, "attr", "the attributes are no list");
    for (const json& attr : *found) ReadAttr(attr, &op);
  }
  return op;
}

Error Unfit(const SingleOp& op, const std::string& what, const std::string& why) {
  return Error("E14001", {{"value", what}, {"opname", op.name.empty() ? op.type : op.name}, {"optype", op.type}, {"reason", why}});
}

void CheckAgainst(const OpDef& def, const SingleOp& op) {
  const auto check_ports = [&](const char* side, const std::vector<IoDef>& declared, const auto& given) {
    const bool dynamic = !declared.empty() && declared.back().kind == IoKind::kDynamic;
    if (given.size() > declared.size() && !dynamic) {
      throw Unfit(op, fmt::format("{} {}", side, declared.size()),
                  fmt::format("it has {} {}s, {} are described", declared.size(), side, given.size()));
    }
    for (size_t i = 0; i < declared.size(); ++i) {
      const bool absent = i >= given.size() || given[i].desc.dtype == DT_UNDEFINED;
      if (declared[i].kind == IoKind::kRequired && absent) {
        throw Unfit(op, fmt::format("{} {} ({})", side, i, declared[i].name.str()), "it is not described");
      }
    }
  };
  check_ports("input", def.inputs, op.inputs);
  check_ports("output", def.outputs, op.outputs);
  for (const AttrDef& attr : def.attrs) {
    const AttrValue* value = op.attrs.Find(attr.name);
    if (value == nullptr && attr.required) throw Unfit(op, "attribute " + attr.name.str(), "it is required");
    if (value != nullptr && !attr.required && value->index() != attr.fallback.index()) {
      throw BadAttr(op.type, attr.name.str(), "the operator has it with another type");
    }
  }
}

}  // namespace

std::string SingleOp::FileName(size_t index) const {
  if (!name.empty()) return name;
  std::string file = fmt::format("{}_{}", index, type);
  for (const auto* tensors : {&inputs, &outputs}) {
    for (const SingleOpTensor& tensor : *tensors) {
      file += fmt::format("_{}_{}", static_cast<int>(tensor.stored.dtype), static_cast<int>(tensor.stored.format));
      for (const int64_t dim : tensor.stored.shape.dims()) file += fmt::format("_{}", dim);
    }
  }
  return file.substr(0, kMaxFileName);
}

std::vector<SingleOp> ReadSingleOps(const std::string& path) {
  std::string text;
  try {
    text = ReadConfigText(path);
  } catch (const Error& error) {
    if (error.diagnostic().code != "E21001") throw;
    throw Error("E10024", {{"value", path}});
  }
  json list;
  try {
    list = json::parse(text);
  } catch (const json::parse_error& error) {
    throw Error("E10025", {{"realpath", path}, {"errmsg", fmt::format("there is no JSON at byte {}", error.byte)}});
  }
  if (!list.is_array() || list.empty()) {
    throw Error("E10023", {{"value", path}, {"reason", "its top level is no list of operators"}});
  }
  std::vector<SingleOp> ops;
  for (const json& op : list) ops.push_back(ReadOp(op));
  return ops;
}

std::unique_ptr<Graph> SingleOpGraph(SingleOp op) {
  const OpDef* def = OpRegistry::Get().Find(op.type);
  if (def == nullptr) def = FindAlias(op.type, op.attrs);
  if (def == nullptr) {
    std::vector<std::string> types;
    for (const OpDef* known : OpRegistry::Get().All()) types.push_back(known->type.str());
    throw Error("E10501", {{"opname", op.name.empty() ? op.type : op.name}, {"optype", op.type}}, DidYouMean(op.type, types));
  }
  CheckAgainst(*def, op);
  auto graph = std::make_unique<Graph>(op.name.empty() ? op.type : op.name);
  const OriginId origin = graph->origins().Leaf(op.name.empty() ? op.type : op.name);
  std::vector<ValueId> inputs;
  int64_t fed = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const SingleOpTensor& tensor = op.inputs[i];
    const std::string name = tensor.name.empty() ? fmt::format("input_{}", i) : tensor.name;
    if (tensor.desc.dtype == DT_UNDEFINED) {
      inputs.push_back(kNoId);
      continue;
    }
    const bool storage = tensor.HasStorageFormat();
    ValueId value = kNoId;
    if (tensor.is_const) {
      value = graph->AddConst(name, tensor.value, origin);
    } else {
      value = graph->AddData(name, fed++, storage ? TensorDesc(tensor.stored.dtype, tensor.stored.shape) : tensor.desc);
    }
    if (storage) {
      if (!tensor.is_const) graph->producer(value).attrs.Set(kInterfaceFormatAttr, int64_t{tensor.stored.format});
      value = FromStorage({*graph, name, origin}, value, tensor.stored.format, tensor.stored.shape,
                          tensor.desc.origin_format, tensor.desc.origin_shape);
    }
    graph->desc(value).SetFormat(tensor.desc.origin_format);
    inputs.push_back(value);
  }
  while (!inputs.empty() && inputs.back() == kNoId) inputs.pop_back();
  Node& node = graph->Add(*def, op.name.empty() ? op.type : op.name, std::move(inputs), op.outputs.size());
  node.attrs = op.attrs;
  // What the tensors say of their layout holds where the attribute is left out.
  if (def->FindAttr("data_format") != nullptr && !op.attrs.Has("data_format") && !op.inputs.empty()) {
    node.attrs.Set("data_format", std::string(FormatName(op.inputs[0].desc.origin_format)));
  }
  node.origin = origin;
  std::vector<std::string> names;
  std::vector<ValueId> results;
  std::vector<int64_t> formats;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    names.push_back(op.outputs[i].name.empty() ? fmt::format("output_{}", i) : op.outputs[i].name);
    const SingleOpTensor& output = op.outputs[i];
    graph->desc(node.outputs[i]).SetFormat(output.desc.origin_format);
    results.push_back(node.outputs[i]);
    formats.push_back(FORMAT_UNDEFINED);
    if (!output.HasStorageFormat()) continue;
    results.back() = ToStorage({*graph, names.back(), origin}, node.outputs[i], output.stored.format, output.stored.shape,
                               output.desc.origin_format, output.desc.origin_shape);
    formats.back() = output.stored.format;
  }
  Node& net_output = graph->Add("NetOutput", "Node_Output", std::move(results), 0);
  net_output.attrs.Set(kInterfaceFormatAttr, std::move(formats));
  net_output.origin = origin;
  net_output.attrs.Set("_origin_output_tensor_name", names);
  net_output.attrs.Set("output_names", names);
  return graph;
}

}  // namespace atc::cli
