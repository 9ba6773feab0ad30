// Several faults of one kind, told at once.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/error.h"

namespace atc {

// The first fault is the message; the others, a line each, are its trace, in the order in which they were found.
class FaultList {
 public:
  bool empty() const { return !first_; }
  void Add(Error error, std::string line) {
    if (first_) {
      others_.push_back(std::move(line));
    } else {
      first_ = std::move(error);
    }
  }
  void ThrowIfAny() {
    if (!first_) return;
    // A trace is kept innermost first and printed the other way round.
    for (auto line = others_.rbegin(); line != others_.rend(); ++line) first_->At(*line);
    throw *std::move(first_);
  }

 private:
  std::optional<Error> first_;
  std::vector<std::string> others_;
};

}  // namespace atc
