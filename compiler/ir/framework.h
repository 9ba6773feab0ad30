// Where a model comes from, as a parser leaves it with the graph and as the om names it.
#pragma once

namespace atc {

// Attribute of a root graph; graphs of no file (single operators, those built in Python) have none.
inline constexpr char kFrameworkAttr[] = "framework_type";
// Its values, which are those of the om's attribute of the same name.
inline constexpr char kFrameworkOnnx[] = "Onnx";
inline constexpr char kFrameworkTensorFlow[] = "TensorFlow";

// An operator of the framework that has no counterpart here, and the attribute with its type there. It can be looked at,
// not converted.
inline constexpr char kFrameworkOp[] = "FrameworkOp";
inline constexpr char kOriginalTypeAttr[] = "original_type";

}  // namespace atc
