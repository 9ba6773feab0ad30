// What a user asks of the types of single nodes, as attributes of the node, so that dumps show it and passes keep it.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

inline constexpr const char* kKeepDtype = "keep_dtype";                     // int 1: the types of the model
inline constexpr const char* kOpPrecisionMode = "_op_precision_mode";       // string, a word of --op_precision_mode
inline constexpr const char* kCustomInputs = "_customize_input_dtypes";     // ints, a DataType an input
inline constexpr const char* kCustomOutputs = "_customize_output_dtypes";   // the same for outputs
inline constexpr const char* kBlackListed = "_black_listed";                // int 1: by --modify_mixlist

// The modes of --op_precision_mode that choose a type; the others choose among kernels.
inline constexpr const char* kFloat32Execution = "enable_float_32_execution";
inline constexpr const char* kKeepFp16 = "keep_fp16";

// Whether the user decides a type of this node: then it is not merged with others, whose types may differ.
inline bool HasUserDtype(const Node& node) {
  if (node.attrs.Find(kBlackListed) || node.attrs.Find(kKeepDtype) || node.attrs.Find(kCustomInputs) || node.attrs.Find(kCustomOutputs)) return true;
  const auto mode = node.attrs.Get<std::string>(kOpPrecisionMode, "");
  return mode == kFloat32Execution || mode == kKeepFp16;
}

}  // namespace atc
