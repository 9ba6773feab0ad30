// The lists of the mixed precision modes.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/precision_options.h"

namespace atc {

enum class MixedList {
  kWhite,  // is lowered
  kBlack,  // is not
  kGrey,   // does as its predecessor
};

// "white", "black", "grey".
const char* NameOf(MixedList list);

// The list on which the type of `node` stands once --modify_mixlist has changed the built-in ones: convolutions and matrix
// products are white, sums over many elements and what grows exponentially is black. A fused elementwise node is black
// where a part of it is; a fused product is what the product is.
MixedList ListOf(const Node& node, const PrecisionOptions& options);

}  // namespace atc
