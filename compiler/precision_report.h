// Which type each node has and why, and where values may leave the range of fp16.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/pipeline.h"
#include "compiler/sample_inputs.h"

namespace atc {

struct ReportedPrecision {
  std::string node, type;
  std::string inputs, outputs;  // dtypes, "DT_FLOAT16, DT_FLOAT"
  std::string reason;           // empty: no choice was made, the types are those of the model
};

// The first node, in the order of the graph, whose values leave fp16 by one kind of evidence; no name: none does.
struct OverflowForecast {
  std::string node, type;
  double low = 0, high = 0;    // of its values
  bool fp16 = false;         // whether the node is in fp16, so that it happens, or only would be in fp16

  bool found() const { return !node.empty(); }
};

class PrecisionReport {
 public:
  explicit PrecisionReport(std::vector<SampleInput> samples) : samples_(std::move(samples)) {}

  // To be called after each stage.
  void See(std::string_view stage, const Graph& graph);
  // Throws Error as MakeSamples does, and E19999 where the model cannot be evaluated on the samples.
  void Finish(const CompileResult& result);

  std::string Text() const;
  std::string Json() const;

  std::vector<ReportedPrecision> nodes;
  OverflowForecast constants;  // by the elements of constants
  OverflowForecast ranges;     // by bounds that no input within its range exceeds
  OverflowForecast samples;    // by evaluation of --sample_inputs
  std::string unbounded;       // the first node for whose values there is no bound; empty: there is one for all
  bool sampled = false;

 private:
  std::vector<SampleInput> samples_;
  std::vector<Tensor> inputs_;
  std::unique_ptr<Graph> floats_;  // before types are chosen
};

}  // namespace atc
