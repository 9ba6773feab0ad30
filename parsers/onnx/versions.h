// Which ONNX files the parser reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace atc {

// The newest versions whose changes are known here. Newer files are read as these, with a warning.
inline constexpr int64_t kNewestIrVersion = 13;
inline constexpr int kNewestOpset = 28;

struct OpsetSupport {
  std::string domain;    // "ai.onnx", "ai.onnx.ml", ...
  int newest = 0;        // the newest version whose changes are known
  size_t operators = 0;  // types of operators that are read, in any version
};

// By domain, in the order of names; every version up to the newest is read.
std::vector<OpsetSupport> OnnxOpsets();

}  // namespace atc
