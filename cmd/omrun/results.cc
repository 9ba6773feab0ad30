#include "cmd/omrun/results.h"

#include <fmt/format.h>

#include <algorithm>

#include "cmd/omrun/batch.h"
#include "cmd/omrun/options.h"

namespace atc::omrun {

Results::Results(const Options& options, const std::vector<TensorInfo>& outputs, const Samples& samples,
                 const References& references, OutputFiles* files)
    : options_(options), infos_(outputs), samples_(samples), references_(references), files_(files),
      written_(samples.all.size()), comparisons_(samples.all.size()) {
  if (options.output.empty()) return;
  // The place is tried before the work is done.
  files_->MakeFolder(options.output);
  outputs_json_ = files_->Reserve(options.output + "/outputs.json");
}

void Results::Take(size_t first, size_t count, std::vector<Tensor> outputs) {
  if (options_.batch == 1) {
    TakeSample(first, outputs);
    if (first == 0) first_ = std::move(outputs);
    return;
  }
  std::vector<std::vector<Tensor>> by_sample(count);
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::vector<Tensor> parts = Part(outputs[i], options_.batch, options_.output_batch_axis, count, infos_[i].name);
    for (size_t s = 0; s < count; ++s) by_sample[s].push_back(std::move(parts[s]));
  }
  for (size_t s = 0; s < count; ++s) TakeSample(first + s, by_sample[s]);
  if (first == 0) first_ = std::move(by_sample[0]);
}

void Results::TakeSample(size_t index, const std::vector<Tensor>& outputs) {
  const Sample& sample = samples_.all[index];
  if (references_.any()) {
    const std::vector<std::optional<Tensor>> references = references_.Of(sample, outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      comparisons_[index].emplace_back();
      if (references[i]) comparisons_[index][i] = Compare(outputs[i], *references[i], options_.limits, infos_[i].computed_in);
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    written_[index].push_back({outputs[i].type, outputs[i].dims});
    if (options_.output.empty()) continue;
    const std::string name = OutputFileName(samples_.named ? sample.name : "", i, options_.format);
    files_->Fill(files_->Reserve(options_.output + "/" + name), FormatTensor(outputs[i], options_.format));
  }
  if (options_.debug) fmt::print("sample   {}  done{}\n", sample.name, options_.output.empty() ? "" : " and written");
}

void Results::Finish() {
  if (options_.output.empty()) return;
  files_->Fill(outputs_json_, FormatOutputsJson(infos_, samples_.all, samples_.named, written_, options_.format));
}

bool Results::match() const {
  return std::all_of(comparisons_.begin(), comparisons_.end(), [](const auto& outputs) {
    return std::all_of(outputs.begin(), outputs.end(), [](const auto& comparison) { return !comparison || comparison->match; });
  });
}

}  // namespace atc::omrun
