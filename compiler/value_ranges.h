// Bounds on the values of a graph: interval arithmetic, from constants and the ranges of inputs.
#pragma once

#include <limits>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

struct ValueRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool bounded() const;
  double Magnitude() const;
};

// Of a tensor's elements, NaN aside; unbounded for what holds no numbers.
ValueRange RangeOf(const Tensor& tensor);
// What the elements of a type can be: 8-bit integers and booleans are bounded, others are not said to be.
ValueRange RangeOf(DataType dtype);

// By value id. `inputs`: in the order of Graph::Inputs(). Each holds for exact arithmetic on any inputs within their
// ranges; operators that the table does not know give no bound.
std::vector<ValueRange> FindRanges(const Graph& graph, const std::vector<ValueRange>& inputs);

}  // namespace atc
