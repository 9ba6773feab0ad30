// Attributes and tensor descriptions between the IR and the om's messages.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/graph.h"

namespace openatc::ge {
class AttrDef;
class TensorDef;
class TensorDescriptor;
}  // namespace openatc::ge

namespace atc {

// What is wrong with a message; whoever reads the file adds its name and place.
struct BadMessage {
  std::string what;
};

// A dtype in a message's `dtype`. Viewers refuse numbers above 31, and some types have no number: these are written as
// undefined, and the descriptor carries the name as the attribute `_dtype`.
void SetDataType(DataType dtype, openatc::ge::TensorDescriptor* to);
DataType GetDataType(const openatc::ge::TensorDescriptor& from);

// Both views, ranges and symbols. The shape message is always there: without it a viewer shows no type.
void ToProto(const TensorDesc& desc, openatc::ge::TensorDescriptor* to);
// Throws BadMessage.
TensorDesc FromProto(const openatc::ge::TensorDescriptor& from);

// Tensors are written whole. A DataType is a `dt` where a viewer can show its number, else a `func` bearing its name.
void ToProto(const AttrValue& value, openatc::ge::AttrDef* to);
// Throws BadMessage for kinds that the IR has no type for.
AttrValue FromProto(const openatc::ge::AttrDef& from);

// dtype and shape alone, then also the elements: strings as u64 length and bytes each, sequences as u64 length and a
// serialised TensorDef each, everything else as it lies in memory.
void ToProtoDesc(DataType dtype, const Shape& shape, openatc::ge::TensorDescriptor* to);
void ToProto(const Tensor& tensor, openatc::ge::TensorDef* to);
Tensor FromProto(const openatc::ge::TensorDef& from);

// Dims as they may stand in a file; throws BadMessage for dims below -2, or too many elements to count.
Shape CheckedShape(std::vector<int64_t> dims);
// Bytes that a tensor takes; throws BadMessage where the shape is not known or the number overflows.
size_t CheckedBytes(DataType dtype, const Shape& shape);

}  // namespace atc
