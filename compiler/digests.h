// SHA-256 of what goes into a conversion and comes out of it, for its manifest.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ir/graph.h"

namespace atc {

struct Digest {
  std::string sha256;  // 64 lower-case hexadecimal digits
  int64_t bytes = 0;
};

// Errors: E13001, E13003.
Digest FileDigest(const std::string& path);

// Of the weights partition of an om. Errors: E10041, E13001, E13003.
Digest WeightsDigest(const std::string& om);

// Of a graph without the values of its constants: of its text form at detail 2, as DUMP_GE_GRAPH=2 writes it.
Digest GraphDigest(const Graph& graph);

}  // namespace atc
