#include <onnx/onnx_pb.h>

#include "parsers/onnx/graph_builder.h"

namespace atc::onnx_parser {

TensorDesc DescribeValue(const onnx::ValueInfoProto& info) {
  const onnx::TypeProto& type = info.type();
  if (type.has_sequence_type() || type.has_optional_type() || type.has_map_type()) {
    return TensorDesc(DT_VARIANT, Shape{kUnknownDim});
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

}  // namespace atc::onnx_parser
