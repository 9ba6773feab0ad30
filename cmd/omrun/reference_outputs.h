// The outputs of an earlier run, to compare with, and the names under which they are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/sample.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {

// "out_3.npy", or of a sample that has a name "NAME_3.npy".
std::string OutputFileName(const std::string& sample, size_t index, OutputFormat format);

// What an output of one sample became.
struct WrittenOutput {
  aclDataType type = ACL_DT_UNDEFINED;
  Dims dims;
};

// Text of outputs.json: a list with name, shape, dtype and file of each output, in the model's order; of samples with
// names {"samples": [{"name": ..., "outputs": the list}]}.
std::string FormatOutputsJson(const std::vector<TensorInfo>& infos, const std::vector<Sample>& samples, bool named,
                              const std::vector<std::vector<WrittenOutput>>& outputs, OutputFormat format);

// References of --compare and of the manifest.
class References {
 public:
  // `arguments` are folders and [NAME=]FILE, several FILEs in one argument joined by commas. Throws RunError for what is
  // not there, so that a wrong name is told before the run.
  References(const std::vector<std::string>& arguments, const Samples& samples, const std::vector<TensorInfo>& outputs);

  bool any() const { return any_; }

  // One for each output; none where there is no reference. From a folder OUT.npy, .bin, .txt or .json is taken, whichever
  // is there; raw and text files take their type and shape from outputs.json beside them, else from `outputs`. Throws
  // RunError naming the file, or what is missing; a folder with more outputs than the model has is refused too.
  std::vector<std::optional<Tensor>> Of(const Sample& sample, const std::vector<Tensor>& outputs) const;

 private:
  const Samples& samples_;
  const std::vector<TensorInfo>& infos_;
  std::string folder_;
  std::vector<std::string> files_;  // by output
  bool any_ = false;
};

}  // namespace atc::omrun
