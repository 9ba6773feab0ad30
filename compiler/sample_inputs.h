// Data for the inputs of a model, given by a user or drawn.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"

namespace atc {

// One item of --sample_inputs.
struct SampleInput {
  std::string name;  // of the model's input
  std::string file;  // .npy, .bin; empty where a range is given
  double low = 0, high = 0;
};

// One tensor for each input of a parsed graph, in the order of Graph::Inputs(): read from its file, drawn evenly from its
// range, else drawn from a normal distribution (integers from 0 to 3, booleans evenly), the same in every run. Open dims
// are as small as they may be. Throws Error: E10016 (no input of that name), E10001 (a file that does not fit the input; an input of strings
// or sequences; two items for an input), E13001. NaN in files, and floats that are rounded to the narrower type of the input,
// are told in one W19999.
std::vector<Tensor> MakeSamples(const Graph& graph, const std::vector<SampleInput>& samples, Diagnostics* warnings = nullptr);

// Several samples, each as MakeSamples gives it: an input that has several items has one in each, in their order, one that
// has a single item the same in all. Behind a sample with ranges come the same with all elements at the lower end of theirs
// and at the upper: what is drawn seldom comes near. Throws Error as MakeSamples does, and E10001 for inputs that have
// different numbers of items. One warning for all.
std::vector<std::vector<Tensor>> MakeSampleSets(const Graph& graph, const std::vector<SampleInput>& samples,
                                                Diagnostics* warnings = nullptr);

}  // namespace atc
