#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A Transpose between channels first and channels last beside a TransData into blocks of channels, or out of them, becomes
// part of it: NHWC -> NCHW -> NC1HWC0 is one TransData from NHWC to NC1HWC0, and so backwards. What is between them serves
// nothing else; where that is a Cast, it goes to the other side of the Transpose.
bool TransposeTransDataPass(Graph& graph, PassContext& context);

}  // namespace atc
