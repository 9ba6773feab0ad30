// Philox 4x32-10, a counter-based generator (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), which
// TensorFlow's random operators use: the numbers are a function of key and counter alone.
#pragma once

#include <array>
#include <cstdint>

namespace atc {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high)
      : key_{Low(key), High(key)},
        counter_{Low(counter_low), High(counter_low), Low(counter_high), High(counter_high)} {}

  // The four numbers of the block that is `ahead` behind the present one.
  Block At(uint64_t ahead) const {
    Block counter = counter_;
    const uint64_t low = (uint64_t{counter[1]} << 32 | counter[0]) + ahead;
    if (low < ahead && ++counter[2] == 0) ++counter[3];
    counter[0] = Low(low);
    counter[1] = High(low);
    std::array<uint32_t, 2> key = key_;
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * counter[0], b = uint64_t{0xCD9E8D57} * counter[2];
      counter = {High(b) ^ counter[1] ^ key[0], Low(b), High(a) ^ counter[3] ^ key[1], Low(a)};
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    return counter;
  }

 private:
  static uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  static uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  std::array<uint32_t, 2> key_;
  Block counter_;
};

}  // namespace atc
