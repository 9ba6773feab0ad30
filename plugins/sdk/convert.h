// Values of the public API to and from those of the compiler.
#pragma once

#include <optional>

#include "compiler/ir/attr.h"
#include "compiler/ir/graph.h"
#include "graph/attr_value.h"
#include "graph/tensor.h"

namespace ge {

TensorDesc ToPublic(const atc::TensorDesc& desc);
atc::TensorDesc ToInternal(const TensorDesc& desc);

// Nothing for tensors of strings and sequences, which the public type cannot hold.
std::optional<Tensor> ToPublic(const atc::Tensor& tensor);
// Nothing where the bytes are not as many as type and shape ask for.
std::optional<atc::Tensor> ToInternal(const Tensor& tensor);

// Nothing where the other side has no such kind of attribute.
std::optional<AttrValue> ToPublic(const atc::AttrValue& value);
std::optional<atc::AttrValue> ToInternal(const AttrValue& value);

}  // namespace ge
