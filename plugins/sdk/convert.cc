#include "plugins/sdk/convert.h"

#include <cstring>

namespace ge {
namespace {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

// Types beyond GE's own numbers have no public name.
DataType ToPublic(atc::DataType dtype) {
  return dtype < static_cast<int>(DT_MAX) ? static_cast<DataType>(dtype) : DT_UNDEFINED;
}

// Numbers that the compiler does not know become undefined.
atc::DataType ToInternal(DataType dtype) {
  const auto same = static_cast<atc::DataType>(dtype);
  return atc::DataTypeFromName(atc::DataTypeName(same));
}

atc::Format ToInternal(Format format) { return atc::FormatFromName(atc::FormatName(static_cast<atc::Format>(format))); }

std::vector<AscendString> ToPublic(const std::vector<std::string>& texts) {
  std::vector<AscendString> all;
  for (const std::string& text : texts) all.emplace_back(text.data(), text.size());
  return all;
}

std::string ToText(const AscendString& text) { return std::string(text.GetString(), text.GetLength()); }

}  // namespace

TensorDesc ToPublic(const atc::TensorDesc& desc) {
  // GE describes what inference has not reached yet as floats; passes written for it compare with that.
  const DataType dtype = desc.dtype == atc::DT_UNDEFINED ? DT_FLOAT : ToPublic(desc.dtype);
  TensorDesc result(Shape(desc.shape.dims()), static_cast<Format>(desc.format), dtype);
  result.SetOriginShape(Shape(desc.origin_shape.dims()));
  result.SetOriginFormat(static_cast<Format>(desc.origin_format));
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const atc::DimRange& range : desc.ranges) ranges.emplace_back(range.min, range.max);
  result.SetShapeRange(ranges);
  return result;
}

atc::TensorDesc ToInternal(const TensorDesc& desc) {
  atc::TensorDesc result(ToInternal(desc.GetDataType()), atc::Shape(desc.GetShape().GetDims()),
                         ToInternal(desc.GetFormat()));
  result.origin_shape = atc::Shape(desc.GetOriginShape().GetDims());
  result.origin_format = ToInternal(desc.GetOriginFormat());
  std::vector<std::pair<int64_t, int64_t>> ranges;
  desc.GetShapeRange(ranges);
  for (const auto& [min, max] : ranges) result.ranges.push_back({min, max});
  return result;
}

std::optional<Tensor> ToPublic(const atc::Tensor& tensor) {
  if (tensor.dtype() == atc::DT_STRING || tensor.dtype() == atc::DT_VARIANT) return std::nullopt;
  const atc::Tensor whole = tensor.Materialized();
  return Tensor(TensorDesc(Shape(whole.shape().dims()), FORMAT_ND, ToPublic(whole.dtype())),
                reinterpret_cast<const uint8_t*>(whole.Data()), whole.NumBytes());
}

std::optional<atc::Tensor> ToInternal(const Tensor& tensor) {
  const atc::TensorDesc desc = ToInternal(tensor.GetTensorDesc());
  if (desc.dtype == atc::DT_UNDEFINED || desc.dtype == atc::DT_STRING || desc.dtype == atc::DT_VARIANT)
    return std::nullopt;
  if (!desc.shape.IsKnown()) return std::nullopt;
  if (atc::DataTypeBytes(desc.dtype, desc.shape.NumElements()) != tensor.GetSize()) return std::nullopt;
  atc::Tensor result = atc::Tensor::Allocate(desc.dtype, desc.shape);
  std::memcpy(result.MutableData(), tensor.GetData(), tensor.GetSize());
  return result;
}

std::optional<AttrValue> ToPublic(const atc::AttrValue& value) {
  AttrValue result;
  const bool converted = std::visit(Overloaded{
                                        [&](const std::string& text) {
                                          result.storage() = AscendString(text.data(), text.size());
                                          return true;
                                        },
                                        [&](atc::DataType dtype) {
                                          result.storage() = ToPublic(dtype);
                                          return true;
                                        },
                                        [&](const atc::Tensor& tensor) {
                                          std::optional<Tensor> copy = ToPublic(tensor);
                                          if (copy) result.storage() = std::move(*copy);
                                          return copy.has_value();
                                        },
                                        [&](const std::vector<std::string>& texts) {
                                          result.storage() = ToPublic(texts);
                                          return true;
                                        },
                                        [&](const auto& same) {
                                          result.storage() = same;
                                          return true;
                                        },
                                    },
                                    value);
  return converted ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<atc::AttrValue> ToInternal(const AttrValue& value) {
  using Result = std::optional<atc::AttrValue>;
  return std::visit(Overloaded{
                        [](const AscendString& text) -> Result { return ToText(text); },
                        [](DataType dtype) -> Result { return ToInternal(dtype); },
                        [](const Tensor& tensor) -> Result {
                          std::optional<atc::Tensor> copy = ToInternal(tensor);
                          return copy ? Result(std::move(*copy)) : std::nullopt;
                        },
                        [](const std::vector<AscendString>& texts) -> Result {
                          std::vector<std::string> all;
                          for (const AscendString& text : texts) all.push_back(ToText(text));
                          return all;
                        },
                        [](std::monostate) -> Result { return std::nullopt; },
                        [](const std::vector<DataType>&) -> Result { return std::nullopt; },
                        [](const std::vector<Tensor>&) -> Result { return std::nullopt; },
                        [](const std::vector<uint8_t>&) -> Result { return std::nullopt; },
                        [](const auto& same) -> Result { return same; },
                    },
                    value.storage());
}

}  // namespace ge
