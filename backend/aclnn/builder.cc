#include "backend/aclnn/builder.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "backend/aclnn/type_rules.h"
#include "compiler/ir/half.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"

namespace atc::aclnn {
namespace {

template <class T>
atc::Tensor One(DataType dtype, T value) {
  return atc::Tensor::From<T>(dtype, {}, {value});
}

template <class Number>
atc::Tensor Convert(Number value, DataType dtype) {
  switch (dtype) {
    case DT_FLOAT: return One<float>(dtype, static_cast<float>(value));
    case DT_DOUBLE: return One<double>(dtype, static_cast<double>(value));
    case DT_FLOAT16:
    case DT_BF16: return Narrow(One<float>(DT_FLOAT, static_cast<float>(value)), dtype);
    case DT_BOOL: return One<bool>(dtype, value != 0);
    case DT_INT8: return One<int8_t>(dtype, static_cast<int8_t>(value));
    case DT_UINT8: return One<uint8_t>(dtype, static_cast<uint8_t>(value));
    case DT_INT16: return One<int16_t>(dtype, static_cast<int16_t>(value));
    case DT_UINT16: return One<uint16_t>(dtype, static_cast<uint16_t>(value));
    case DT_INT32: return One<int32_t>(dtype, static_cast<int32_t>(value));
    case DT_UINT32: return One<uint32_t>(dtype, static_cast<uint32_t>(value));
    case DT_INT64: return One<int64_t>(dtype, static_cast<int64_t>(value));
    case DT_UINT64: return One<uint64_t>(dtype, static_cast<uint64_t>(value));
    case DT_COMPLEX64: return One<std::complex<float>>(dtype, static_cast<float>(value));
    case DT_COMPLEX128: return One<std::complex<double>>(dtype, static_cast<double>(value));
    default: throw Refusal{ACLNN_ERR_PARAM_INVALID, "no scalar of type " + std::string(DataTypeName(dtype))};
  }
}

}  // namespace

atc::Tensor MakeScalar(double value, DataType dtype) { return Convert(value, dtype); }

atc::Tensor MakeScalar(const Scalar& scalar, DataType dtype) {
  Buffer buffer = Buffer::Allocate(scalar.bytes.size());
  std::memcpy(buffer.data, scalar.bytes.data(), scalar.bytes.size());
  const atc::Tensor given(scalar.dtype, {}, buffer);
  if (scalar.dtype == dtype) return given;
  if (ClassOf(scalar.dtype) == TypeClass::kComplex) {
    return Convert(scalar.dtype == DT_COMPLEX64 ? given.Data<std::complex<float>>()->real()
                                                : given.Data<std::complex<double>>()->real(),
                   dtype);
  }
  if (scalar.dtype == DT_UINT64) return Convert(*given.Data<uint64_t>(), dtype);
  if (ClassOf(scalar.dtype) <= TypeClass::kInteger) return Convert(ToInts(given)[0], dtype);
  return Convert(ToDoubles(given)[0], dtype);
}

Builder::Builder(const Signature& signature, std::span<const Arg> args, std::vector<TensorRef>& tensors,
                 const char* detail)
    : signature_(signature), args_(args), tensors_(tensors), detail_(detail), graph_(std::make_unique<Graph>()),
      data_(tensors.size()) {}

void Builder::Refuse(std::string text, aclnnStatus code) const { throw Refusal{code, std::move(text)}; }

size_t Builder::Find(std::string_view name) const {
  for (size_t i = 0; i < signature_.args.size(); ++i) {
    if (signature_.args[i].name == name) return i;
  }
  assert(!"a recipe names an argument that its signature lacks");
  return 0;
}

size_t Builder::TensorOf(size_t arg, size_t member) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].arg == arg && tensors_[i].member == member) return i;
  }
  return tensors_.size();
}

bool Builder::Has(std::string_view name) const { return Get(name).handle != nullptr; }

std::string Builder::Text(std::string_view name) const { return Get(name).text; }

DataType Builder::Type(std::string_view name) const {
  const DataType dtype = static_cast<DataType>(Int(name));
  if (ClassOf(dtype) == TypeClass::kOther) {
    Refuse("argument " + std::string(name) + ": type " + std::to_string(Int(name)) + " is not one that operators compute");
  }
  return dtype;
}

std::vector<int64_t> Builder::Ints(std::string_view name) const {
  const auto array = IntArrays().Find(Get(name).handle);
  return array ? array->values : std::vector<int64_t>();
}

std::vector<float> Builder::Floats(std::string_view name) const {
  const auto array = FloatArrays().Find(Get(name).handle);
  return array ? array->values : std::vector<float>();
}

const Scalar& Builder::ScalarOf(std::string_view name) const {
  // The caller's handle keeps it for the whole of phase 1.
  const auto scalar = Scalars().Find(Get(name).handle);
  if (!scalar) Refuse("argument " + std::string(name) + " is no scalar that is alive", ACLNN_ERR_PARAM_NULLPTR);
  return *scalar;
}

std::vector<std::shared_ptr<Scalar>> Builder::ScalarsOf(std::string_view name) const {
  const auto list = ScalarLists().Find(Get(name).handle);
  return list ? list->scalars : std::vector<std::shared_ptr<Scalar>>();
}

double Builder::Number(std::string_view name) const { return *MakeScalar(ScalarOf(name), DT_DOUBLE).Data<double>(); }

const View& Builder::ViewOf(std::string_view name) const { return tensors_[TensorOf(Find(name), 0)].view; }

std::string_view Builder::InputName(size_t n) const {
  for (const ArgInfo& arg : signature_.args) {
    if ((arg.kind == ArgKind::kInput || arg.kind == ArgKind::kInOut) && n-- == 0) return arg.name;
  }
  assert(!"a recipe takes more inputs than its signature has");
  return "";
}

std::string_view Builder::OutputName() const {
  for (const ArgInfo& arg : signature_.args) {
    if (arg.kind == ArgKind::kOutput || arg.kind == ArgKind::kInOut || arg.kind == ArgKind::kOutputs || arg.kind == ArgKind::kInOuts) {
      return arg.name;
    }
  }
  assert(!"a recipe's signature has no output");
  return "";
}

Value Builder::Data(size_t tensor) {
  if (!data_[tensor]) {
    const View& view = tensors_[tensor].view;
    data_[tensor] = {graph_->AddData("", static_cast<int64_t>(tensor), TensorDesc(view.dtype, view.shape))};
  }
  return data_[tensor];
}

Value Builder::In(std::string_view name) {
  const size_t tensor = TensorOf(Find(name), 0);
  return tensor == tensors_.size() ? Value{} : Data(tensor);
}

std::vector<Value> Builder::List(std::string_view name) {
  const size_t arg = Find(name);
  std::vector<Value> values;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i].arg == arg) values.push_back(Data(i));
  }
  return values;
}

Value Builder::Const(atc::Tensor tensor) { return {graph_->AddConst("", std::move(tensor))}; }

Value Builder::Number(double value, DataType dtype) { return Const(MakeScalar(value, dtype)); }

Value Builder::ScalarValue(std::string_view name, DataType dtype) { return Const(MakeScalar(ScalarOf(name), dtype)); }

std::vector<Value> Builder::Ops(const char* type, const std::vector<Value>& inputs, std::vector<Set> attrs,
                                size_t outputs) {
  std::vector<ValueId> ids;
  for (const Value& input : inputs) ids.push_back(input.id);
  Node& node = graph_->Add(Name(type), "", std::move(ids), outputs);
  for (Set& attr : attrs) node.attrs.Set(attr.name, std::move(attr.value));
  InferNode(*graph_, node);
  std::vector<Value> values;
  for (const ValueId id : node.outputs) values.push_back({id});
  return values;
}

Value Builder::Op(const char* type, const std::vector<Value>& inputs, std::vector<Set> attrs) {
  return Ops(type, inputs, std::move(attrs), 1)[0];
}

Value Builder::Cast(Value value, DataType dtype) {
  return TypeOf(value) == dtype ? value : Op("Cast", {value}, {{"dst_type", static_cast<int>(dtype)}});
}

Value Builder::Widen(Value value) { return value && IsHalf(TypeOf(value)) ? Cast(value, DT_FLOAT) : value; }

Value Builder::ToFloat(Value value) {
  return ClassOf(TypeOf(value)) <= TypeClass::kInteger ? Cast(value, DT_FLOAT) : Widen(value);
}

Value Builder::ToBool(Value value) {
  if (TypeOf(value) == DT_BOOL) return value;
  value = Widen(value);
  return Op("NotEqual", {value, Number(0, TypeOf(value))});
}

Value Builder::Reshape(Value value, const std::vector<int64_t>& dims) {
  if (ShapeOf(value).dims() == dims) return value;
  return Op("Reshape", {value, ConstInts(dims)});
}

Value Builder::Expand(Value value, const Shape& shape) {
  if (ShapeOf(value) == shape) return value;
  return Op("BroadcastTo", {value, ConstInts(shape.dims())});
}

DataType Builder::Common(Value& a, Value& b) {
  const auto dtype = Promote(TypeOf(a), TypeOf(b));
  if (!dtype) {
    Refuse(std::string(DataTypeName(TypeOf(a))) + " and " + std::string(DataTypeName(TypeOf(b))) + " have no common type");
  }
  a = Cast(a, *dtype);
  b = Cast(b, *dtype);
  return *dtype;
}

int64_t Builder::Axis(int64_t axis, size_t rank) const {
  const auto count = static_cast<int64_t>(std::max<size_t>(rank, 1));
  if (axis < -count || axis >= count) {
    Refuse("dim " + std::to_string(axis) + " is beyond " + std::to_string(-count) + " to " + std::to_string(count - 1));
  }
  return axis < 0 ? axis + count : axis;
}

std::vector<int64_t> Builder::Axes(const std::vector<int64_t>& axes, size_t rank) const {
  std::vector<int64_t> result;
  for (const int64_t axis : axes) {
    const int64_t positive = Axis(axis, rank);
    if (std::find(result.begin(), result.end(), positive) != result.end()) Refuse("dim " + std::to_string(axis) + " is named twice");
    if (rank > 0) result.push_back(positive);
  }
  return result;
}

void Builder::Bind(size_t tensor, Value value, std::string_view name) {
  const DataType wanted = tensors_[tensor].view.dtype;
  if (!CanCast(TypeOf(value), wanted)) {
    Refuse("argument " + std::string(name) + " has type " + std::string(DataTypeName(wanted)) + "; the result has " +
           std::string(DataTypeName(TypeOf(value))) + ", which is not cast down to that");
  }
  outputs_.push_back({tensor, Cast(value, wanted)});
}

void Builder::Out(std::string_view name, Value value) {
  const size_t tensor = TensorOf(Find(name), 0);
  if (tensor == tensors_.size()) return;  // an optional output that the caller does not want
  if (!(ShapeOf(value) == tensors_[tensor].view.shape)) {
    Refuse("argument " + std::string(name) + " has shape " + ToString(tensors_[tensor].view.shape) + "; the result has " +
           ToString(ShapeOf(value)));
  }
  Bind(tensor, value, name);
}

void Builder::OutWhole(std::string_view name, Value value) {
  const size_t tensor = TensorOf(Find(name), 0);
  const bool one = tensor != tensors_.size() && tensors_[tensor].view.shape == Shape{1};
  Out(name, one && Rank(value) == 0 ? Reshape(value, {1}) : value);
}

void Builder::WantType(std::string_view name, std::initializer_list<DataType> types) const {
  const size_t tensor = TensorOf(Find(name), 0);
  if (tensor == tensors_.size()) return;
  const DataType found = tensors_[tensor].view.dtype;
  if (std::find(types.begin(), types.end(), found) != types.end()) return;
  std::string wanted;
  for (const DataType type : types) wanted += (wanted.empty() ? "" : " or ") + std::string(DataTypeName(type));
  Refuse("argument " + std::string(name) + " is " + std::string(DataTypeName(found)) + "; places of elements are " + wanted);
}

void Builder::OutList(std::string_view name, const std::vector<Value>& values) {
  const size_t arg = Find(name);
  size_t count = 0;
  while (TensorOf(arg, count) != tensors_.size()) ++count;
  if (count != values.size()) {
    Refuse("argument " + std::string(name) + " has " + std::to_string(count) + " tensors; there are " +
           std::to_string(values.size()) + " results");
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t tensor = TensorOf(arg, i);
    if (!(ShapeOf(values[i]) == tensors_[tensor].view.shape)) {
      Refuse("tensor " + std::to_string(i) + " of argument " + std::string(name) + " has shape " +
             ToString(tensors_[tensor].view.shape) + "; the result has " + ToString(ShapeOf(values[i])));
    }
    Bind(tensor, values[i], name);
  }
}

void Builder::OutDynamic(std::string_view name, Value value) {
  const size_t tensor = TensorOf(Find(name), 0);
  if (tensor != tensors_.size()) Bind(tensor, value, name);
}

}  // namespace atc::aclnn
