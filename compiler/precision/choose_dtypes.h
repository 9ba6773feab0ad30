// Which type each operator computes in, and the Casts that follow from it.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"
#include "compiler/ir/options.h"
#include "compiler/ir/precision_options.h"
#include "compiler/soc/soc.h"

namespace atc {

// Chooses a dtype for every node that has float tensors, by `mode`, and inserts a Cast on every edge whose ends differ:
// passes merge, cancel and move them then (TransOpBreadthFusion, TransOpSymmetryElimination, CastSink and more). A constant
// is narrowed instead (deferred: its bytes are made when they are written). Inputs of the model keep their dtypes; output i
// gets `interface[i]`, DT_UNDEFINED keeping its own. Each choice leaves a Reason "dtype" on its node.
//   kForceFp16: whatever can run in fp16 does.
//   kAllowFp32ToFp16 / kAllowFp32ToBf16: convolutions and matrix products run in fp16 / bf16, all else keeps its types.
//   kMixedFp16 / kMixedBf16: what is on the white list runs in fp16 / bf16, what is on the black list keeps its types, a
//   grey operator does as the one that computes its first float input (mixed_lists.h).
//   kForceFp32, kCubeFp16InFp32Out: the factors of convolutions and matrix products are fp16, all results are float, half
//   tensors are widened.
//   kKeepOrigin: nothing changes.
// Each node with float tensors is given a Reason "dtype": the rule, the list or flag that decided, and the type.
// What the user asks of single nodes (the attributes of user_dtype.h, the lists of `options`) comes before the mode:
//   keep_dtype, enable_float_32_execution: float stays float; keep_fp16: fp16 where the operator can.
//   customize_dtypes: each tensor has the type that is asked of it, else that of the model. Operators that take one type
//   alone (what moves elements) compute in float where these differ: an input is rounded before, an output behind them.
// Throws Error E10055 for the modes that compute in HiFloat8, E10001 where --customize_dtypes asks for other types than
// float, fp16 and bf16, of tensors that are none of these, or of ones that the operator has not.
void ChooseDtypes(Graph& graph, PrecisionMode mode, std::vector<DataType> interface, Journal& journal,
                  const PrecisionOptions& options = {});

// Throws Error E20101 where `mode` computes in bfloat16, or `options` ask for it, and the chip has none. The message
// calls the mode `value`, as the flag `parameter` names it; empty: by the word of --precision_mode.
void CheckPrecisionMode(PrecisionMode mode, const PrecisionOptions& options, const Soc& soc, std::string parameter = "",
                        std::string value = "");

// Whether the operator can compute in fp16 or bf16 (a trait; see op_def.h).
bool SupportsHalf(const Node& node);

}  // namespace atc
