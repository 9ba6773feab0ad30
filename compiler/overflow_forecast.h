// Where values leave the range of fp16.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"
#include "compiler/value_ranges.h"

namespace atc {

// A node whose values leave fp16 by one kind of evidence; no name: none does.
struct OverflowForecast {
  std::string node, type;
  double low = 0, high = 0;  // of its values
  bool fp16 = false;         // whether its value is read in fp16 (from it or through a Cast), so that it happens

  bool found() const { return !node.empty(); }
};

// The first nodes, in the order of the graph, whose finite values can become infinite in fp16.
struct OverflowForecasts {
  OverflowForecast constants;  // by the elements of constants
  OverflowForecast ranges;     // by bounds that no input within its range exceeds
  OverflowForecast samples;    // by evaluation
  std::string unbounded;       // the first node for whose values there is no bound; empty: there is one for all
  bool sampled = false;
  bool outputs_finite = true;  // on the samples: all outputs of the compiled model are finite that would be so in float

  // What counts: what the samples show where there are some, else a constant, else what the bounds allow.
  const OverflowForecast& verdict() const;
};

// `floats`: the model before types are chosen, `compiled`: after. `ranges`: one for each input. `samples`: each one
// tensor for each input. Of each kind of evidence the first node that is in fp16 is taken; where there is none in fp16,
// the first that would leave it. Samples are evaluated on both graphs: what leaves fp16 counts where the compiled graph
// makes an infinity of it, not where a clipped constant or float keeps it finite. Throws Error where the model cannot
// be evaluated.
OverflowForecasts ForecastOverflow(const Graph& floats, const Graph& compiled, const std::vector<ValueRange>& ranges,
                                   const std::vector<std::vector<Tensor>>& samples);

}  // namespace atc
