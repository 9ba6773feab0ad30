#include "compiler/ops/adapted_types.h"

#include <algorithm>

#include "compiler/ops/cast.h"

namespace atc {
namespace {

enum class How { kBytes, kFloat, kParts };

struct Row {
  const char* type;
  How how;
};

constexpr Row kRows[] = {
    {"IsInf", How::kFloat},          {"IsNan", How::kFloat},
    {"MirrorPad", How::kBytes},      {"PadV3", How::kBytes},
    {"Resize", How::kParts},         {"onnx::Col2Im", How::kParts},
    {"onnx::GridSample", How::kParts}, {"onnx::IsInf", How::kFloat},
    {"onnx::Pad", How::kBytes},      {"onnx::Resize", How::kParts},
    {"onnx::ScatterElements", How::kParts}, {"onnx::ScatterND", How::kParts},
    {"onnx::TensorScatter", How::kBytes},
};

bool IsComplex(DataType dtype) { return dtype == DT_COMPLEX64 || dtype == DT_COMPLEX128; }
bool IsPacked(DataType dtype) { return DataTypeBits(dtype) > 0 && 8 % DataTypeBits(dtype) == 0 && DataTypeBits(dtype) < 8; }
bool IsSmallFloat(DataType dtype) { return IsFloating(dtype) && DataTypeBits(dtype) <= 8; }

bool Takes(How how, DataType dtype) {
  return how == How::kBytes ? IsPacked(dtype) : how == How::kFloat ? IsSmallFloat(dtype) : IsComplex(dtype);
}

// Whether the operator is linear in its complex inputs as this node has it.
bool IsLinear(const Node& node) {
  const auto reduction = node.attrs.Get<std::string>("reduction", "none");
  const auto frame = node.attrs.Get<std::string>("coordinate_transformation_mode", "");
  return (reduction == "none" || reduction == "add") && frame != "tf_crop_and_resize";
}

Tensor Unpack(const Tensor& tensor) {
  const int bits = DataTypeBits(tensor.dtype()), per_byte = 8 / bits;
  Tensor bytes = Tensor::Allocate(DT_UINT8, tensor.shape());
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    const int shift = static_cast<int>(i % per_byte) * bits;
    bytes.MutableData<uint8_t>()[i] =
        static_cast<uint8_t>((tensor.Data<uint8_t>()[i / per_byte] >> shift) & ((1 << bits) - 1));
  }
  return bytes;
}

Tensor Pack(const Tensor& bytes, DataType dtype) {
  const int bits = DataTypeBits(dtype), per_byte = 8 / bits;
  Tensor tensor = Tensor::Allocate(dtype, bytes.shape());
  for (int64_t i = 0; i < bytes.NumElements(); ++i) {
    const int shift = static_cast<int>(i % per_byte) * bits;
    uint8_t& to = tensor.MutableData<uint8_t>()[i / per_byte];
    to = static_cast<uint8_t>(to | bytes.Data<uint8_t>()[i] << shift);
  }
  return tensor;
}

Tensor AsFloat(const Tensor& tensor) {
  Tensor wide = Tensor::Allocate(DT_FLOAT, tensor.shape());
  CastElements(tensor, {}, &wide);
  return wide;
}

template <typename T>
Tensor Part(const Tensor& tensor, DataType dtype, int which) {
  Tensor part = Tensor::Allocate(dtype, tensor.shape());
  for (int64_t i = 0; i < part.NumElements(); ++i) part.MutableData<T>()[i] = tensor.Data<T>()[2 * i + which];
  return part;
}

Tensor PartOf(const Tensor& tensor, int which) {
  return tensor.dtype() == DT_COMPLEX64 ? Part<float>(tensor, DT_FLOAT, which) : Part<double>(tensor, DT_DOUBLE, which);
}

template <typename T>
Tensor Join(const Tensor& real, const Tensor& imaginary, DataType dtype) {
  Tensor tensor = Tensor::Allocate(dtype, real.shape());
  for (int64_t i = 0; i < real.NumElements(); ++i) {
    tensor.MutableData<T>()[2 * i] = real.Data<T>()[i];
    tensor.MutableData<T>()[2 * i + 1] = imaginary.Data<T>()[i];
  }
  return tensor;
}

}  // namespace

std::optional<std::vector<Tensor>> RunAdapted(
    const Node& node, const std::vector<Tensor>& inputs,
    const std::function<std::vector<Tensor>(std::vector<Tensor> inputs)>& run) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return node.type() == r.type; });
  if (row == std::end(kRows)) return std::nullopt;
  const auto adapted = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const Tensor& t) { return t.defined() && Takes(row->how, t.dtype()); });
  if (adapted == inputs.end()) return std::nullopt;
  const DataType dtype = adapted->dtype();
  const auto replaced = [&](const auto& replace) {
    std::vector<Tensor> tensors = inputs;
    for (Tensor& tensor : tensors) {
      if (tensor.defined() && tensor.dtype() == dtype) tensor = replace(tensor);
    }
    return tensors;
  };
  switch (row->how) {
    case How::kBytes: {
      std::vector<Tensor> outputs = run(replaced(Unpack));
      for (Tensor& tensor : outputs) tensor = Pack(tensor, dtype);
      return outputs;
    }
    case How::kFloat: return run(replaced(AsFloat));
    case How::kParts: {
      if (!IsLinear(node)) return std::nullopt;
      std::vector<Tensor> real = run(replaced([](const Tensor& t) { return PartOf(t, 0); }));
      const std::vector<Tensor> imaginary = run(replaced([](const Tensor& t) { return PartOf(t, 1); }));
      for (size_t i = 0; i < real.size(); ++i) {
        real[i] = dtype == DT_COMPLEX64 ? Join<float>(real[i], imaginary[i], dtype)
                                        : Join<double>(real[i], imaginary[i], dtype);
      }
      return real;
    }
  }
  return std::nullopt;
}

}  // namespace atc
