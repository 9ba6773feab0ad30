#include "compiler/om/hash.h"

#include <bit>
#include <cstring>

namespace atc {
namespace {

// An odd number without pattern: the fraction of the golden ratio.
constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
constexpr int kLanes = 8;

uint64_t Step(uint64_t state, uint64_t word) { return std::rotl((state ^ word) * kMultiplier, 29); }

uint64_t Word(const std::byte* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

}  // namespace

uint64_t Hash64(std::span<const std::byte> bytes, uint64_t seed) {
  uint64_t hash = Step(seed ^ kMultiplier, bytes.size());
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  if (left >= kLanes * sizeof(uint64_t)) {
    // Independent lanes, so that the multiplications overlap. Each step is a bijection of its lane's state: a change of
    // one word always changes the lane.
    uint64_t lanes[kLanes];
    for (int i = 0; i < kLanes; ++i) lanes[i] = hash + static_cast<uint64_t>(i) * kMultiplier;
    for (; left >= sizeof(lanes); left -= sizeof(lanes), at += sizeof(lanes)) {
      for (int i = 0; i < kLanes; ++i) lanes[i] = Step(lanes[i], Word(at + i * sizeof(uint64_t)));
    }
    for (const uint64_t lane : lanes) hash = Step(hash, lane);
  }
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t)) hash = Step(hash, Word(at));
  if (left > 0) {
    std::byte tail[sizeof(uint64_t)] = {};
    std::memcpy(tail, at, left);
    hash = Step(hash, Word(tail));
  }
  hash ^= hash >> 32;
  hash *= kMultiplier;
  return hash ^ (hash >> 29);
}

}  // namespace atc
