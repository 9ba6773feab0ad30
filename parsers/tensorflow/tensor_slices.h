// Parts of variables: how checkpoints name them, and copying between a part and the whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/tensor.h"

namespace atc::tf_parser {

// Of each axis where the part begins and how long it is.
struct TensorSlice {
  std::vector<int64_t> start, length;
};

// The key under which a checkpoint stores a part of the variable `name`; lengths of -1 stand for whole axes.
std::string SliceKey(const std::string& name, const TensorSlice& slice);

// RestoreV2's form: dims of the whole, then for each axis "begin,length" or "-" between colons ("10 4 0,5:-").
struct PartText {
  Shape whole;
  TensorSlice slice;  // lengths are known
};
std::optional<PartText> ParsePart(const std::string& text);

// Whether the slice lies within the shape.
bool Within(const TensorSlice& slice, const Shape& shape);

// Copies `part`, whose shape is that of the slice, into its place of `whole`, or the other way round. Elements take a
// whole number of bytes.
void CopyIntoWhole(const Tensor& part, const TensorSlice& slice, Tensor* whole);
void CopyFromWhole(const Tensor& whole, const TensorSlice& slice, Tensor* part);

}  // namespace atc::tf_parser
