#include "backend/executor/dynamic_model.h"

#include <cstring>

#include "backend/executor/describe.h"
#include "backend/runtime/device.h"
#include "backend/runtime/stream.h"
#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"

namespace atc {

DynamicModel::DynamicModel(OmModel model, const LoadOptions&) : model_(std::move(model)), info_(DescribeModel(model_)) {
  info_.peak_bytes = info_.weight_bytes;
}

void DynamicModel::Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) {
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DataType dtype = info_.inputs[i].dtype;
    if (dtype == DT_STRING || dtype == DT_VARIANT) {
      throw Error::Internal("input '" + info_.inputs[i].name + "' is a " + std::string(DataTypeName(dtype)) +
                            ", which a buffer of bytes cannot carry");
    }
    if (!inputs[i].shape.IsKnown() || inputs[i].bytes < DataTypeBytes(dtype, inputs[i].shape.NumElements())) {
      throw Error::Internal("input '" + info_.inputs[i].name + "' of shape " + ToString(inputs[i].shape) + " has only " +
                            std::to_string(inputs[i].bytes) + " bytes");
    }
    Buffer view;
    view.data = static_cast<std::byte*>(inputs[i].data);
    view.size = inputs[i].bytes;
    arguments.emplace_back(dtype, inputs[i].shape, view);
  }
  const std::vector<Tensor> results = Evaluate(*model_.graph, std::move(arguments));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& result = results[i];
    if (result.dtype() == DT_STRING || result.dtype() == DT_VARIANT) {
      throw Error::Internal("output '" + info_.outputs[i].name + "' is a " + std::string(DataTypeName(result.dtype())) +
                            ", which a buffer of bytes cannot carry");
    }
    outputs[i].shape = result.shape();
    const size_t bytes = result.NumBytes();
    if (outputs[i].data == nullptr && bytes > 0) {
      if (stream.device().Malloc(bytes, &outputs[i].data) != runtime::kOk) {
        throw Error::Internal("the device has no " + std::to_string(bytes) + " bytes for output " + std::to_string(i));
      }
      outputs[i].bytes = bytes;
    }
    if (outputs[i].bytes < bytes) {
      throw Error::Internal("output '" + info_.outputs[i].name + "' needs " + std::to_string(bytes) + " bytes for shape " +
                            ToString(result.shape()) + ", " + std::to_string(outputs[i].bytes) + " were given");
    }
    if (bytes > 0) std::memcpy(outputs[i].data, result.Data(), bytes);
  }
}

}  // namespace atc
