// Offsets for buffers of which some pairs may not share bytes, and those who find them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/plan/conflicts.h"
#include "compiler/plan/lifetimes.h"

namespace atc {

struct Placement {
  std::vector<int64_t> offset;  // by buffer
  int64_t total = 0;            // bytes
  std::string strategy;         // who found it
};

// Which gap between bytes that are taken a buffer goes to.
enum class Fit { kFirst, kBest };

// Places buffers in the order of `sequence`, each in a gap left by those it conflicts with that are placed before it.
Placement PlaceInSequence(const Lifetimes& lifetimes, const Conflicts& conflicts, const std::vector<uint32_t>& sequence,
                          Fit fit);

// The smallest of the results for several sequences (by launch order, size, length of life, area, and the like), the
// first of equals. Stops when `lower_bound` is reached, or after about `most_steps` looks at pairs, but not before the
// first.
Placement PlaceBySeveralSequences(const Lifetimes& lifetimes, const Conflicts& conflicts, int64_t lower_bound,
                                  size_t most_steps);

// Walks the launch order: a buffer is placed when it is written, in a gap that is free for its stream by then. Time is
// near linear in the buffers, whatever their conflicts are.
Placement PlaceInLaunchOrder(const Lifetimes& lifetimes);

// Walks the launch order: a buffer is placed when it is written, at the lowest offset that is free for its stream by
// then. Nothing after `most_steps` looks at what lies in memory.
std::optional<Placement> PlaceFirstFit(const Lifetimes& lifetimes, size_t most_steps);

// Looks for a placement of no more than `capacity` bytes, for buffers of one stream; see the file. Nothing where there
// is none, where `most_steps` (sections of time looked at) are not enough to find it, or on several streams.
std::optional<Placement> PlaceBySearch(const Lifetimes& lifetimes, int64_t capacity, size_t most_steps);

// The smallest of what all of these find, in a number of steps that grows with the buffers. `lower_bound` is that of
// lower_bound.h: the search ends where it is reached.
Placement PlaceBuffers(const Lifetimes& lifetimes, int64_t lower_bound);

}  // namespace atc
