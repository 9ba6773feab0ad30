// Which pairs of buffers may not share bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/plan/lifetimes.h"

namespace atc {

class Conflicts {
 public:
  // None when finding them would take more than `most_steps` comparisons: their number may grow with the square of that
  // of the buffers.
  static std::optional<Conflicts> Find(const Lifetimes& lifetimes, size_t most_steps);

  // Sorted.
  std::span<const uint32_t> With(size_t buffer) const {
    return {with_.data() + first_[buffer], first_[buffer + 1] - first_[buffer]};
  }
  size_t pairs() const { return with_.size() / 2; }

 private:
  std::vector<size_t> first_;
  std::vector<uint32_t> with_;
};

}  // namespace atc
