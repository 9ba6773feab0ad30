#include <onnx/onnx_pb.h>

#include "parsers/onnx/graph_builder.h"

namespace atc::onnx_parser {

TensorDesc DescribeType(const onnx::TypeProto& type) {
  if (type.has_sequence_type() || type.has_optional_type() || type.has_map_type()) {
    TensorDesc desc(DT_VARIANT, Shape{kUnknownDim});
    desc.optional = type.has_optional_type();
    const TensorDesc element = type.has_sequence_type()   ? DescribeType(type.sequence_type().elem_type())
                               : type.has_optional_type() ? DescribeType(type.optional_type().elem_type())
                                                          : TensorDesc();
    if (element.dtype != DT_UNDEFINED) desc.element = std::make_shared<const TensorDesc>(element);
    return desc;
  }
  if (!type.has_tensor_type()) return {};
  const onnx::TypeProto::Tensor& tensor = type.tensor_type();
  const DataType dtype = DataTypeFromOnnx(tensor.elem_type());
  if (!tensor.has_shape()) return TensorDesc(dtype, Shape::UnknownRank());
  std::vector<int64_t> dims;
  std::vector<std::string> symbols;
  bool symbolic = false;
  for (const auto& dim : tensor.shape().dim()) {
    const bool known = dim.has_dim_value() && dim.dim_value() >= 0;
    dims.push_back(known ? dim.dim_value() : kUnknownDim);
    symbols.push_back(known ? "" : dim.dim_param());
    symbolic |= !symbols.back().empty();
  }
  TensorDesc desc(dtype, Shape(std::move(dims)));
  if (symbolic) desc.symbols = std::move(symbols);
  return desc;
}

TensorDesc DescribeValue(const onnx::ValueInfoProto& info) { return DescribeType(info.type()); }

}  // namespace atc::onnx_parser
