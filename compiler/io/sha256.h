// SHA-256 (FIPS 180-4): names of files by their contents, and hashes that other tools can check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace atc {

class Sha256 {
 public:
  void Add(std::span<const std::byte> bytes);
  // 64 lower-case hexadecimal digits of all that was added; nothing may be added after it.
  std::string Hex();

 private:
  void Block(const std::byte* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_;
  uint64_t bytes_ = 0;  // added so far; those beyond the last whole block are pending
};

// Of one piece of memory.
std::string Sha256Hex(std::span<const std::byte> bytes);

}  // namespace atc
