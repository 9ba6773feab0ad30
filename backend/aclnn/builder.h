// Makes the graph of AscendIR operators that one operator call stands for, from the arguments of the call.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/aclnn/argument.h"
#include "backend/aclnn/objects.h"
#include "compiler/ir/graph.h"

namespace atc::aclnn {

// Why a call is refused: thrown by recipes and the builder, turned into a code at the entry point.
struct Refusal {
  aclnnStatus code;
  std::string text;
};

// A value of the graph; none for an optional argument that is absent.
struct Value {
  ValueId id = kNoId;
  explicit operator bool() const { return id != kNoId; }
};

// An attribute of a node.
struct Set {
  Name name;
  AttrValue value;

  template <typename T>
    requires std::is_arithmetic_v<T>
  Set(const char* n, T v) : name(n), value(NumberAttr(v)) {}
  Set(const char* n, std::vector<int64_t> v) : name(n), value(std::move(v)) {}
  Set(const char* n, std::vector<std::string> v) : name(n), value(std::move(v)) {}
  Set(const char* n, const char* v) : name(n), value(std::string(v)) {}
  Set(const char* n, DataType v) : name(n), value(v) {}
};

// One tensor of a call: an argument, or a member of a list.
struct TensorRef {
  size_t arg = 0;     // in the signature
  size_t member = 0;  // of a list
  bool input = false;
  bool output = false;
  std::shared_ptr<Tensor> tensor;
  View view;              // as it was in phase 1
  void* address = nullptr;
};

struct OutputBinding {
  size_t tensor = 0;  // into the call's tensors
  Value value;
};

class Builder {
 public:
  // `detail` is the recipe's own word, often the type of an operator.
  Builder(const Signature& signature, std::span<const Arg> args, std::vector<TensorRef>& tensors, const char* detail);

  // ---- arguments, by name ----
  bool Has(std::string_view name) const;
  int64_t Int(std::string_view name) const { return Get(name).integer; }
  bool Flag(std::string_view name) const { return Get(name).integer != 0; }
  double Real(std::string_view name) const { return Get(name).real; }
  std::string Text(std::string_view name) const;
  DataType Type(std::string_view name) const;
  std::vector<int64_t> Ints(std::string_view name) const;    // empty when absent
  std::vector<float> Floats(std::string_view name) const;
  const Scalar& ScalarOf(std::string_view name) const;
  std::vector<std::shared_ptr<Scalar>> ScalarsOf(std::string_view name) const;  // of a list
  // A scalar's value; that of an integer as it is, of a complex one its real part.
  double Number(std::string_view name) const;
  const View& ViewOf(std::string_view name) const;
  ArgKind KindOf(std::string_view name) const { return signature_.args[Find(name)].kind; }
  std::string_view ArgName(size_t index) const { return signature_.args[index].name; }
  // Name of the n-th tensor argument that is an input, or of the only output.
  std::string_view InputName(size_t n) const;
  std::string_view OutputName() const;
  const char* detail() const { return detail_; }

  // ---- values ----
  Value In(std::string_view name);  // none when absent
  // The same as the type that it is computed in: halves as float, so that a result rounds once.
  Value Wide(std::string_view name) { return Widen(In(name)); }
  std::vector<Value> List(std::string_view name);
  Value Const(atc::Tensor tensor);
  Value ConstInts(const std::vector<int64_t>& values) { return Const(atc::Tensor::Ints(values)); }
  Value Number(double value, DataType dtype);
  Value ScalarValue(std::string_view name, DataType dtype);

  Value Op(const char* type, const std::vector<Value>& inputs, std::vector<Set> attrs = {});
  std::vector<Value> Ops(const char* type, const std::vector<Value>& inputs, std::vector<Set> attrs, size_t outputs);
  Value Cast(Value value, DataType dtype);
  Value Widen(Value value);
  Value ToFloat(Value value);  // integers and bools become float, halves are widened
  Value ToBool(Value value);
  Value Reshape(Value value, const std::vector<int64_t>& dims);
  Value Expand(Value value, const Shape& shape);
  // Both as the type that they promote to; refused where there is none.
  DataType Common(Value& a, Value& b);

  const Shape& ShapeOf(Value value) const { return graph_->desc(value.id).shape; }
  DataType TypeOf(Value value) const { return graph_->desc(value.id).dtype; }
  size_t Rank(Value value) const { return ShapeOf(value).rank(); }
  // 0 to rank - 1; refused beyond -rank to rank - 1. A scalar counts as of rank 1.
  int64_t Axis(int64_t axis, size_t rank) const;
  std::vector<int64_t> Axes(const std::vector<int64_t>& axes, size_t rank) const;

  // The argument receives the value, cast where that is allowed; refused where shape or type do not fit.
  void Out(std::string_view name, Value value);
  void Out(Value value) { Out(OutputName(), value); }
  // The same for a value without dims, which callers also take as one of shape [1].
  void OutWhole(std::string_view name, Value value);
  void OutWhole(Value value) { OutWhole(OutputName(), value); }
  // For places of elements: refuses an argument of another type than these, as promotion would let places become floats or
  // be cut off. An optional output that the caller does not want is as it should be.
  void WantType(std::string_view name, std::initializer_list<DataType> types) const;
  void OutList(std::string_view name, const std::vector<Value>& values);
  // The same for values whose shape only the run tells: the tensor must have room for them.
  void OutDynamic(std::string_view name, Value value);

  [[noreturn]] void Refuse(std::string text, aclnnStatus code = ACLNN_ERR_PARAM_INVALID) const;

  std::unique_ptr<Graph> TakeGraph() { return std::move(graph_); }
  const std::vector<OutputBinding>& outputs() const { return outputs_; }

 private:
  size_t Find(std::string_view name) const;
  const Arg& Get(std::string_view name) const { return args_[Find(name)]; }
  size_t TensorOf(size_t arg, size_t member) const;
  Value Data(size_t tensor);
  void Bind(size_t tensor, Value value, std::string_view name);

  const Signature& signature_;
  std::span<const Arg> args_;
  std::vector<TensorRef>& tensors_;
  const char* detail_;
  std::unique_ptr<Graph> graph_;
  std::vector<Value> data_;  // by tensor
  std::vector<OutputBinding> outputs_;
};

// A scalar tensor of that type; integers of integers are exact.
atc::Tensor MakeScalar(double value, DataType dtype);
atc::Tensor MakeScalar(const Scalar& scalar, DataType dtype);

}  // namespace atc::aclnn
