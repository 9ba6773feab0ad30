// Where the data of one input of one sample come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/literal.h"
#include "cmd/omrun/signature.h"

namespace atc::omrun {

struct Source {
  enum class Kind { kMade, kFile, kLiteral };
  Kind kind = Kind::kMade;  // data of --fill
  std::string text;         // the file, or the literal
  int member = -1;          // of an archive: which of its arrays, where not the input's name tells
};

// What the text of one input names: one source, or one for each file of a folder or pattern.
struct Sources {
  std::vector<Source> all;
  bool several = false;  // they came from a folder or pattern: each is a sample, even if there is one
};

// An existing file or folder, else a literal, else a pattern. `flag` is what the text was given to ("--input"). Throws
// RunError where nothing of it is there, or a folder or pattern has no file that can be read.
Sources FindSources(const std::string& text, const TensorInfo& input, const std::string& flag);

// Whether the text names files that are there: one, a folder, or a pattern with a match.
bool NamesFiles(const std::string& text);

// What data are made with for an input without a source.
struct Filling {
  bool zeros = false;
  uint64_t seed = 0;
};

// The tensor, of the input's element type and of a shape that fits. `given` are the dims of --shape. Throws RunError that
// names input, file, and the expected and found shape, element type and bytes.
Tensor LoadSource(const Source& source, const TensorInfo& input, size_t index, const std::optional<Dims>& given,
                  const Filling& filling);

// "x.npy", "'1,2,3'", "random data, seed 0"
std::string SourceText(const Source& source, const Filling& filling);

// "line" of "in/line.npy"
std::string StemOf(const std::string& path);

}  // namespace atc::omrun
