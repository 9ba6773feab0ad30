// Values written on the command line or in a manifest instead of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cmd/omrun/signature.h"

namespace atc::omrun {

// Where a literal's shape comes from and what `random` draws.
struct LiteralContext {
  std::optional<Dims> given;  // by --shape
  uint64_t seed = 0;          // of `random`
  size_t index = 0;           // of the input
};

// Whether the text has the form of a literal of such an input, right or wrong: "1,2,3", "[[1,2],[3,4]]", "0..9:3", "0..", "random",
// "random:7", "zero", "true", "[\"a\"]". A name that could be a file's as well counts as a file's where there is one.
bool LooksLikeLiteral(const std::string& text, aclDataType type);

// The tensor that it means for this input. The shape is that of --shape, the model's, that of the lists; one open dim
// follows from the count of numbers, further ones are their least value. One number fills all elements. Throws RunError
// that says what was found and what is wanted.
Tensor ParseLiteral(const std::string& text, const TensorInfo& input, const LiteralContext& context);

// The shape that data made here take: that of --shape, else the model's with the least value of open dims.
Dims DimsToFill(const TensorInfo& input, const std::optional<Dims>& given);

}  // namespace atc::omrun
