// Brings what a user asks of single operators to their nodes.
#pragma once

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/precision_options.h"

namespace atc {

// Among PrecisionOptions::implmode_types: --op_select_implmode ends with _for_all.
inline constexpr char kEveryType[] = "*";

// Sets the attributes of user_dtype.h on the nodes that `options` names or whose type it names, nested graphs included;
// a node's own line wins over that of its type, and --customize_dtypes over --keep_dtype. Names without a node and types
// without an operator in the model give one warning a list (W10001), with the name that was meant.
void MarkPrecision(Graph& graph, const PrecisionOptions& options, Diagnostics* diagnostics);

}  // namespace atc
