// Which type each node has and why, and where values may leave the range of fp16.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/overflow_forecast.h"
#include "compiler/pipeline.h"
#include "compiler/sample_inputs.h"

namespace atc {

struct ReportedPrecision {
  std::string node, type;
  std::string inputs, outputs;  // dtypes, "DT_FLOAT16, DT_FLOAT"
  std::string reason;           // every node has one
};

class PrecisionReport {
 public:
  // `clips`: the conversion clips constants as it narrows them (--is_weight_clip). What samples are not as they seem is
  // told in `warnings`.
  PrecisionReport(std::vector<SampleInput> samples, bool clips, Diagnostics* warnings = nullptr)
      : samples_(std::move(samples)), clips_(clips), warnings_(warnings) {}

  // To be called after each stage.
  void See(std::string_view stage, const Graph& graph);
  // Throws Error as MakeSampleSets does, and E19999 where the model cannot be evaluated on the samples.
  void Finish(const CompileResult& result);

  std::string Text() const;
  std::string Json() const;

  std::vector<ReportedPrecision> nodes;
  OverflowForecasts overflow;

 private:
  std::vector<SampleInput> samples_;
  bool clips_;
  Diagnostics* warnings_;
  std::vector<std::vector<Tensor>> inputs_;  // by sample
  std::unique_ptr<Graph> floats_;  // before types are chosen
};

}  // namespace atc
