// What becomes of the outputs: files, comparisons, a summary.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/compare.h"
#include "cmd/omrun/output_files.h"
#include "cmd/omrun/reference_outputs.h"

namespace atc::omrun {

struct Options;

// Takes the outputs of the samples in any order, writes each at once and keeps only what the report needs.
class Results {
 public:
  Results(const Options& options, const std::vector<TensorInfo>& outputs, const Samples& samples,
          const References& references, OutputFiles* files);

  // Of samples `first` to `first` + `count`, joined by --batch. Throws RunError.
  void Take(size_t first, size_t count, std::vector<Tensor> outputs);
  // After all: outputs.json.
  void Finish();

  // Of each sample and output; none where there is no reference.
  const std::vector<std::vector<std::optional<Comparison>>>& comparisons() const { return comparisons_; }
  // The outputs of the first sample.
  const std::vector<Tensor>& first() const { return first_; }
  bool match() const;

 private:
  void TakeSample(size_t sample, const std::vector<Tensor>& outputs);

  const Options& options_;
  const std::vector<TensorInfo>& infos_;
  const Samples& samples_;
  const References& references_;
  OutputFiles* files_;
  size_t outputs_json_ = 0;
  std::vector<std::vector<WrittenOutput>> written_;
  std::vector<std::vector<std::optional<Comparison>>> comparisons_;
  std::vector<Tensor> first_;
};

}  // namespace atc::omrun
