// --multi_stream_parallel_mode (ge.autoMultistreamParallelMode): how tasks spread over streams beyond what their engines
// and labels ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atc {

struct ParallelMode {
  enum Kind : uint8_t {
    kOff,          // "", or "default" as an attribute of a graph
    kCv,           // cv: cube and vector units have streams of their own
    kLoadBalance,  // LoadBalance:N: equal load on N streams
    kMainStream,   // MainStream:N: the critical path on one stream, the rest around it
    kWeighted,     // WeightedLoadBalance:N: by measured times
  };
  Kind kind = kOff;
  int32_t streams = 0;  // N, 1 to 64; 0 for kOff and kCv

  bool operator==(const ParallelMode&) const = default;
};

inline constexpr const char* kParallelModeAttr = "ge.autoMultistreamParallelMode";

// Nothing where the text is none of these.
std::optional<ParallelMode> ParseParallelMode(std::string_view text);
// The inverse: "LoadBalance:4"; "" for kOff.
std::string ParallelModeText(const ParallelMode& mode);

}  // namespace atc
