// The samples of a run: what feeds each input, and what to compare with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/source.h"

namespace atc::omrun {

struct Options;

struct Sample {
  std::string name;                        // of its output files
  std::vector<Source> inputs;              // one for each
  std::vector<std::optional<Dims>> shapes; // those of --shape, one for each input
  std::vector<std::string> references;     // a file for each output, empty where there is none; or no element
};

struct Samples {
  std::vector<Sample> all;  // at least one, names all different
  bool named = false;       // their outputs bear their names, as several may be told apart
  Filling filling;
};

// From --input, --manifest, --shape and --shape_range. Throws RunError that names the flag, what was found and what is
// wanted.
Samples MakeSamples(const Signature& signature, const Options& options);

// The tensors of a sample, one for each input.
std::vector<Tensor> LoadSample(const Sample& sample, const std::vector<TensorInfo>& inputs, const Filling& filling);

}  // namespace atc::omrun
