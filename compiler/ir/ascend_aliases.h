// Names of AscendIR for operators that this compiler runs under another one.
#pragma once

#include <string_view>

#include "compiler/ir/attr.h"
#include "compiler/ir/op_def.h"

namespace atc {

// The definition that runs what AscendIR calls `type` ("MatMul", "MatMulV3": MatMulV2), with the same inputs and outputs in
// the same order; attributes of `attrs` that are called otherwise there are renamed. Null where `type` is
// no such name.
const OpDef* FindAlias(std::string_view type, AttrMap& attrs);

}  // namespace atc
