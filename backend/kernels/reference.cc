// What has no fast kernel runs the reference kernel, in origin views.
#include <cstring>

#include "backend/kernels/kernel.h"
#include "backend/kernels/layout.h"
#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"

namespace atc::kernels {
namespace {

class ReferenceKernel : public Kernel {
 public:
  explicit ReferenceKernel(const KernelSpec& spec)
      : node_(spec.node), inputs_(spec.inputs), outputs_(spec.outputs), threads_(spec.threads), nested_(spec.nested) {}

  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    std::vector<Tensor> arguments;
    for (size_t i = 0; i < inputs_.size(); ++i) arguments.push_back(View(inputs_[i], inputs[i]));
    std::vector<DataType> types;
    for (const Port& port : outputs_) types.push_back(port.dtype);
    std::vector<Tensor> results = RunReferenceKernel(node_, std::move(arguments), {}, std::move(types), &kept_, nested_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs[i] != nullptr) Store(outputs_[i], results[i], outputs[i]);
    }
  }

 private:
  Tensor View(const Port& port, const void* data) const {
    if (!port.present) return Tensor();
    if (port.channels_last) {
      Tensor plain = Tensor::Allocate(port.dtype, port.shape);
      FromChannelsLast(plain.MutableData(), data, port.shape, DataTypeBits(port.dtype) / 8, threads_);
      return plain;
    }
    if (port.constant != nullptr) return *port.constant;
    Buffer buffer;
    buffer.data = static_cast<std::byte*>(const_cast<void*>(data));
    buffer.size = DataTypeBytes(port.dtype, port.shape.NumElements());
    return Tensor(port.dtype, port.shape, buffer);
  }

  void Store(const Port& port, const Tensor& result, void* data) const {
    if (!result.defined() || result.dtype() != port.dtype || !(result.shape() == port.shape)) {
      Error error = Error::Internal(
          "the operator gave " + std::string(DataTypeName(result.dtype())) + " " + ToString(result.shape()) + ", " +
          std::string(DataTypeName(port.dtype)) + " " + ToString(port.shape) + " was planned");
      throw error.At("node '" + node_.name + "' (" + node_.type().str() + ")");
    }
    if (port.channels_last) {
      ToChannelsLast(data, result.Data(), port.shape, DataTypeBits(port.dtype) / 8, threads_);
    } else if (result.NumBytes() > 0 && result.Data() != data) {  // it may be the input itself, in place
      std::memcpy(data, result.Data(), result.NumBytes());
    }
  }

  const Node& node_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  int threads_;
  NodeRunner* nested_;
  KernelContext::Kept kept_;
};

}  // namespace

std::unique_ptr<Kernel> MakeReference(const KernelSpec& spec) { return std::make_unique<ReferenceKernel>(spec); }

}  // namespace atc::kernels
