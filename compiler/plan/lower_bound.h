// How few bytes any placement can do with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/plan/lifetimes.h"

namespace atc {

struct LowerBound {
  int64_t bytes = 0;
  // Whether no heavier set of buffers exists of which no two may share bytes. Otherwise it is the most that is needed
  // at one launch or by the heaviest set within a part of the graph, which on several streams may be less.
  bool exact = false;
};

// Of no more buffers than this the bound is exact (but for the limit below). Of larger graphs that is looked for in
// some parts of so many buffers.
inline constexpr size_t kExactBoundBuffers = 20000;

// The bytes of the heaviest set of buffers that all conflict with each other: the heaviest antichain of the order "over
// before the other one is written". By Dilworth's theorem for weights that is all bytes less the most that can be
// handed on from buffer to buffer, a maximal flow. `most_steps` bounds the search for it; beyond, the bound is not
// exact.
LowerBound FindLowerBound(const Lifetimes& lifetimes, size_t most_steps = size_t{1} << 31);

}  // namespace atc
