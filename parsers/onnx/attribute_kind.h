// What an attribute of a model holds.
#pragma once

#include <optional>
#include <string>

#include "parsers/onnx/signature.h"

namespace onnx {
class AttributeProto;
}

namespace atc::onnx_parser {

// As it says itself; files of IR version 1 may leave the type out: then the field that is set tells it. Nothing for an
// empty one without type, and for kinds that no operator has (lists of tensors, graphs and types).
std::optional<AttributeKind> KindOf(const onnx::AttributeProto& attribute);

// What is wrong with an attribute in itself: its type is unknown, or a field of another type is set. Empty: nothing.
std::string Contradiction(const onnx::AttributeProto& attribute);

}  // namespace atc::onnx_parser
