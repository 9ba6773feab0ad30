#include "cmd/omrun/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cmd/omrun/manifest.h"
#include "cmd/omrun/options.h"
#include "cmd/omrun/shape_text.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {
namespace {

using Inputs = std::vector<TensorInfo>;

// "a.bin,b.bin" is two arguments where both parts name files and the whole does not: the lists of other runners. A part
// without a name goes to the next input.
std::vector<std::string> Parts(const std::vector<std::string>& arguments, const Inputs& inputs) {
  std::vector<std::string> parts;
  for (const std::string& argument : arguments) {
    std::vector<std::string> split;
    std::string_view rest = argument;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      split.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    const bool list = split.size() > 1 && !NamesFiles(argument) && std::all_of(split.begin(), split.end(), [&](const auto& part) {
      return NamesFiles(SplitArgument(part, inputs).second);
    });
    if (list) parts.insert(parts.end(), split.begin(), split.end());
    else parts.push_back(argument);
  }
  return parts;
}

bool IsArchive(const Source& source) {
  return source.kind == Source::Kind::kFile && std::filesystem::path(source.text).extension() == ".npz";
}

// One archive, or a folder of them, feeds all inputs that it has arrays for; the others stay without a source.
void SpreadArchives(const Sources& archives, const Inputs& inputs, std::vector<Sources>* by_input) {
  std::vector<std::string> names;
  const std::string& first = archives.all[0].text;
  for (const FileTensor& tensor : ReadTensorFile(first)) names.push_back(tensor.name);
  const bool by_name = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const TensorInfo& input) { return input.name == name; });
  });
  if (!by_name && names.size() > inputs.size()) {
    throw RunError(fmt::format("'{}' holds {} arrays, the model has {} inputs: {}", first, names.size(), inputs.size(),
                               NameList(inputs)));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool there = by_name ? std::find(names.begin(), names.end(), inputs[i].name) != names.end() : i < names.size();
    if (!there) continue;
    (*by_input)[i] = archives;
    for (Source& source : (*by_input)[i].all) source.member = static_cast<int>(i);
  }
}

// NAME=REST with a name that the model does not have was taken for a source with '=' in it.
void CheckName(const std::string& argument, const Inputs& inputs) {
  const size_t equals = argument.find('=');
  if (equals == std::string::npos || NamesFiles(argument)) return;
  throw RunError(fmt::format("--input '{}': there is neither an input '{}' (the model's inputs are {}) nor such a file",
                             argument, argument.substr(0, equals), NameList(inputs)));
}

std::vector<Sources> SourcesOfInputs(const Inputs& inputs, const Options& options) {
  std::vector<Sources> by_input(inputs.size());
  const std::vector<std::string> arguments = Parts(options.inputs, inputs);
  if (arguments.size() == 1 && !inputs.empty() && !SplitArgument(arguments[0], inputs).first && NamesFiles(arguments[0])) {
    const Sources found = FindSources(arguments[0], inputs[0], "--input");
    if (std::all_of(found.all.begin(), found.all.end(), IsArchive)) {
      SpreadArchives(found, inputs, &by_input);
      return by_input;
    }
  }
  const auto texts = Distribute(arguments, inputs, "--input");
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!texts[i]) continue;
    if (inputs[i].type != ACL_STRING || !texts[i]->starts_with('[')) CheckName(*texts[i], inputs);
    by_input[i] = FindSources(*texts[i], inputs[i], "--input");
  }
  return by_input;
}

// Every sample takes one source of each input; where there is one alone it serves all.
void SamplesOfSources(const Inputs& inputs, const std::vector<Sources>& by_input,
                      const std::vector<std::optional<Dims>>& shapes, Samples* samples) {
  size_t count = 1, leader = inputs.size();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Sources& sources = by_input[i];
    samples->named = samples->named || sources.several;
    if (!sources.several || (leader < inputs.size() && sources.all.size() == 1)) continue;
    if (leader < inputs.size() && count > 1 && sources.all.size() != count) {
      throw RunError(fmt::format("input '{}' has {} files, input '{}' has {}: each sample takes one of both",
                                 inputs[leader].name, count, inputs[i].name, sources.all.size()));
    }
    if (leader == inputs.size() || sources.all.size() > count) {
      leader = i;
      count = sources.all.size();
    }
  }
  for (size_t s = 0; s < count; ++s) {
    Sample sample;
    sample.shapes = shapes;
    for (const Sources& sources : by_input) {
      sample.inputs.push_back(sources.all.empty() ? Source() : sources.all[sources.all.size() == 1 ? 0 : s]);
    }
    if (leader < inputs.size()) sample.name = StemOf(by_input[leader].all[s].text);
    samples->all.push_back(std::move(sample));
  }
}

void MakeNamesDiffer(std::vector<Sample>* samples) {
  std::set<std::string> taken;
  for (Sample& sample : *samples) {
    // A name is one of files: a folder's has no place in it.
    std::replace(sample.name.begin(), sample.name.end(), '/', '_');
    if (sample.name.empty() || sample.name.starts_with('.')) sample.name.insert(0, "sample");
    std::string name = sample.name;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}-{}", sample.name, n);
    sample.name = name;
  }
}

void CheckAllFed(const Inputs& inputs, const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (sample.inputs[i].kind != Source::Kind::kMade) continue;
      throw RunError(fmt::format("input '{}' is missing{}: expected {}. Add --input {}=FILE, or --seed N for random data",
                                 inputs[i].name, samples.size() > 1 ? " in sample '" + sample.name + "'" : "",
                                 Expected(inputs[i]), inputs[i].name));
    }
  }
}

}  // namespace

Samples MakeSamples(const Signature& signature, const Options& options) {
  const Inputs& inputs = signature.inputs;
  Samples samples;
  samples.filling = {options.zeros, options.seed};
  if (!options.shape_range.empty()) {
    for (ShapeCombination& combination : ParseShapeRange(options.shape_range, inputs)) {
      Sample sample;
      sample.name = combination.name;
      sample.shapes = std::move(combination.dims);
      sample.inputs.resize(inputs.size());
      samples.all.push_back(std::move(sample));
    }
    samples.named = true;
    MakeNamesDiffer(&samples.all);
    return samples;
  }
  const std::vector<std::optional<Dims>> shapes = ParseShapes(options.shapes, inputs);
  if (!options.manifest.empty()) {
    samples.all = ReadManifest(options.manifest, signature);
    for (Sample& sample : samples.all) sample.shapes = shapes;
    samples.named = true;
  } else {
    SamplesOfSources(inputs, SourcesOfInputs(inputs, options), shapes, &samples);
  }
  MakeNamesDiffer(&samples.all);
  const bool any_given = !options.inputs.empty() || !options.manifest.empty();
  if (any_given && !options.fill_given) CheckAllFed(inputs, samples.all);
  return samples;
}

std::vector<Tensor> LoadSample(const Sample& sample, const std::vector<TensorInfo>& inputs, const Filling& filling) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    tensors.push_back(LoadSource(sample.inputs[i], inputs[i], i, sample.shapes[i], filling));
  }
  return tensors;
}

}  // namespace atc::omrun
