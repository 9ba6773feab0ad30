// Operators of one's own: a shared library describes an operator, infers its outputs, computes it, and says which
// operators of a source model become it.
//
//   static ge::Status Infer(ge::OperatorInferContext& ctx) {
//     ctx.SetOutput(0, ctx.InputType(0), ctx.InputShape(0));
//     return ge::SUCCESS;
//   }
//   static ge::Status Compute(ge::OperatorKernelContext& ctx) { ... }
//
//   REGISTER_CUSTOM_OPERATOR("Warp")
//       .Input("x", {ge::DT_FLOAT}).Output("y").Attr("strength", 1.0f)
//       .InferFn(Infer).KernelFn(Compute)
//       .FromOnnx("com.example", "Warp", 1);
//
// The library goes to <opp>/vendors/<vendor>/custom_operators/, or to custom_operators/ in a folder that
// ASCEND_CUSTOM_OPP_PATH names (several are separated by ':'). The converter loads it when it starts, a program that
// runs a model when the model needs it. A library may also export
// `extern "C" void RegisterCustomOperators(ge::OperatorRegistry&)`, called when it is loaded.
//
// C++17. Nothing that crosses the border of the library depends on _GLIBCXX_USE_CXX11_ABI. Functions are called from
// several threads, also at the same time; what they throw ends the conversion or the run with a message that names the
// library.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge_common/ge_api_error_codes.h"
#include "graph/attr_value.h"
#include "graph/operator.h"
#include "graph/tensor.h"

namespace ge {

// What inference and kernel have in common.
class OperatorContext {
 public:
  // Number of inputs that the node lists; those of a dynamic input follow each other.
  virtual size_t InputCount() const = 0;
  // False for an optional input that is absent, and beyond the last one. Nothing else is to be asked about such a one.
  virtual bool HasInput(size_t index) const = 0;
  virtual DataType InputType(size_t index) const = 0;
  // In inference a dim may be -1 (not known yet), and the single dim -2 stands for an unknown rank.
  virtual Shape InputShape(size_t index) const = 0;
  virtual size_t OutputCount() const = 0;
  // The attribute of the node, else the default of the definition. False where there is none of this name.
  virtual bool GetAttrValue(const char* name, AttrValue& value) const = 0;
  // Why it fails; part of the error that the user reads. Say the value found and the value wanted.
  virtual void SetErrorMessage(const AscendString& message) = 0;

  // False where the attribute is absent or of another type.
  template <typename T>
  bool GetAttr(const char* name, T& value) const {
    AttrValue stored;
    return GetAttrValue(name, stored) && stored.GetAttrValue(value) == GRAPH_SUCCESS;
  }

 protected:
  ~OperatorContext() = default;
};

// Infers types and shapes of the outputs, which must all be set. Called with partly known shapes, and again when more is
// known: the same inputs must give the same outputs.
class OperatorInferContext : public OperatorContext {
 public:
  // The value of an input that is constant. False where it is not, or not known yet.
  virtual bool InputValue(size_t index, Tensor& value) const = 0;
  // Dims that only the kernel will know are -1. Ignored beyond the last output.
  virtual void SetOutput(size_t index, DataType dtype, const Shape& shape) = 0;

 protected:
  ~OperatorInferContext() = default;
};

// Computes the outputs on the CPU. Every shape is known here.
class OperatorKernelContext : public OperatorContext {
 public:
  // Elements of the input in row-major order; types below a byte are packed, the first in the low bits. nullptr where
  // the input is absent. The memory is read-only.
  virtual const void* InputData(size_t index) const = 0;
  // Makes an output and returns its memory, of which every byte must be written. Type and shape must be those that were
  // inferred, -1 replaced by a size. nullptr beyond the last output.
  virtual void* MakeOutput(size_t index, DataType dtype, const Shape& shape) = 0;

  template <typename T>
  const T* Input(size_t index) const {
    return static_cast<const T*>(InputData(index));
  }

 protected:
  ~OperatorKernelContext() = default;
};

// What happens when the model is converted to half precision.
enum class OperatorPrecision : uint32_t {
  kAsModel = 0,      // the operator keeps its float types
  kFloatInside = 1,  // half tensors outside; the kernel is given float ones, and its float outputs are rounded once
  kHalfToo = 2,      // the kernel takes and gives half tensors itself
};

using OperatorInferFn = std::function<Status(OperatorInferContext&)>;
using OperatorKernelFn = std::function<Status(OperatorKernelContext&)>;
// Attributes of the node in the source model to those of the operator. `target` holds none when it is called; it must be
// given those without a default.
using OperatorParseFn = std::function<Status(const Operator& source, Operator& target)>;

// One operator, or a part of one: registrations of one library with the same type add up. Copies share what they
// describe.
class CustomOperator {
 public:
  enum PortKind : uint32_t { kRequired = 0, kOptional = 1, kDynamic = 2 };
  struct Port {
    AscendString name;
    PortKind kind = kRequired;
    std::vector<DataType> types;  // empty: any
  };
  struct Attribute {
    AscendString name;
    bool required = false;
    AttrValue fallback;  // also tells the type of a required one
  };
  struct Source {
    AscendString framework;  // "onnx" or "tensorflow"
    AscendString domain;
    AscendString type;
    int32_t since = 1;  // version of the domain's operator set from which it holds
    OperatorParseFn parse;
  };
  struct Data {
    AscendString type;
    std::vector<Port> inputs, outputs;
    std::vector<Attribute> attributes;
    std::vector<Source> sources;
    OperatorInferFn infer;
    OperatorKernelFn kernel;
    OperatorPrecision precision = OperatorPrecision::kAsModel;
  };

  explicit CustomOperator(const char* type) : data_(std::make_shared<Data>()) { data_->type = AscendString(type); }

  // In the order of the operator's operands. Nothing may follow a dynamic one, which stands for any number of operands.
  CustomOperator& Input(const char* name, const std::vector<DataType>& types = {}) {
    return AddPort(data_->inputs, name, kRequired, types);
  }
  CustomOperator& OptionalInput(const char* name, const std::vector<DataType>& types = {}) {
    return AddPort(data_->inputs, name, kOptional, types);
  }
  CustomOperator& DynamicInput(const char* name, const std::vector<DataType>& types = {}) {
    return AddPort(data_->inputs, name, kDynamic, types);
  }
  CustomOperator& Output(const char* name, const std::vector<DataType>& types = {}) {
    return AddPort(data_->outputs, name, kRequired, types);
  }
  CustomOperator& DynamicOutput(const char* name, const std::vector<DataType>& types = {}) {
    return AddPort(data_->outputs, name, kDynamic, types);
  }
  // An attribute with a default: an integer, a float, a bool, a text, a DataType, a Tensor, or a list.
  template <typename T>
  CustomOperator& Attr(const char* name, const T& fallback) {
    return AddAttribute(name, false, fallback);
  }
  // An attribute that every node must have: RequiredAttr<int64_t>("axis").
  template <typename T>
  CustomOperator& RequiredAttr(const char* name) {
    return AddAttribute(name, true, T());
  }
  CustomOperator& InferFn(const OperatorInferFn& fn) {
    data_->infer = fn;
    return *this;
  }
  CustomOperator& KernelFn(const OperatorKernelFn& fn) {
    data_->kernel = fn;
    return *this;
  }
  CustomOperator& Precision(OperatorPrecision precision) {
    data_->precision = precision;
    return *this;
  }
  // Nodes of this domain and type in ONNX models that import `since` or a newer version of the domain become this
  // operator: inputs and outputs in their order, attributes as `parse` says, by default those of equal names.
  CustomOperator& FromOnnx(const char* domain, const char* type, int32_t since = 1,
                           const OperatorParseFn& parse = {}) {
    return From("onnx", domain, type, since, parse);
  }
  CustomOperator& FromTensorFlow(const char* type, const OperatorParseFn& parse = {}) {
    return From("tensorflow", "", type, 0, parse);
  }
  CustomOperator& From(const char* framework, const char* domain, const char* type, int32_t since,
                       const OperatorParseFn& parse) {
    data_->sources.push_back({AscendString(framework), AscendString(domain), AscendString(type), since, parse});
    return *this;
  }

  const Data& data() const { return *data_; }

 private:
  CustomOperator& AddPort(std::vector<Port>& ports, const char* name, PortKind kind,
                          const std::vector<DataType>& types) {
    ports.push_back({AscendString(name), kind, types});
    return *this;
  }
  template <typename T>
  CustomOperator& AddAttribute(const char* name, bool required, const T& fallback) {
    Attribute attribute;
    attribute.name = AscendString(name);
    attribute.required = required;
    attribute.fallback.SetAttrValue(fallback);
    data_->attributes.push_back(std::move(attribute));
    return *this;
  }

  std::shared_ptr<Data> data_;
};

// Handed to the entry function of a library.
class OperatorRegistry {
 public:
  virtual void Register(const CustomOperator& custom) = 0;

 protected:
  ~OperatorRegistry() = default;
};

class OperatorReceiver {
 public:
  OperatorReceiver(const CustomOperator& custom);
};

}  // namespace ge

#define OPENATC_OPERATOR_RECEIVER(number, type) \
  static ::ge::OperatorReceiver openatc_operator_receiver_##number __attribute__((unused)) = ::ge::CustomOperator(type)
#define OPENATC_NUMBERED_OPERATOR_RECEIVER(number, type) OPENATC_OPERATOR_RECEIVER(number, type)
#define REGISTER_CUSTOM_OPERATOR(type) OPENATC_NUMBERED_OPERATOR_RECEIVER(__COUNTER__, type)
