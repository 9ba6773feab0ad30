// A fast hash of contents, to find equal constants and damaged files. Not for secrets.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace atc {

// The same on any machine. `seed` chains: Hash64(b, Hash64(a)) depends on both and their order.
uint64_t Hash64(std::span<const std::byte> bytes, uint64_t seed = 0);
inline uint64_t Hash64(std::string_view text, uint64_t seed = 0) {
  return Hash64(std::as_bytes(std::span(text.data(), text.size())), seed);
}

}  // namespace atc
