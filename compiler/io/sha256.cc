#include "compiler/io/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace atc {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr size_t kBlockBytes = 64;

}  // namespace

void Sha256::Block(const std::byte* block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i) {
    w[i] = 0;
    for (int b = 0; b < 4; ++b) w[i] = w[i] << 8 | std::to_integer<uint32_t>(block[4 * i + b]);
  }
  for (int i = 16; i < 64; ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  std::array<uint32_t, 8> v = state_;  // a to h
  for (int i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
    const uint32_t choose = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint32_t t1 = v[7] + s1 + choose + kRound[i] + w[i];
    const uint32_t s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
    const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    std::rotate(v.begin(), v.end() - 1, v.end());
    v[0] = t1 + s0 + majority;
    v[4] += t1;
  }
  for (size_t i = 0; i < v.size(); ++i) state_[i] += v[i];
}

void Sha256::Add(std::span<const std::byte> bytes) {
  const size_t held = bytes_ % kBlockBytes;
  bytes_ += bytes.size();
  if (held > 0) {
    const size_t taken = std::min(kBlockBytes - held, bytes.size());
    if (taken > 0) std::memcpy(&pending_[held], bytes.data(), taken);
    bytes = bytes.subspan(taken);
    if (held + taken < kBlockBytes) return;
    Block(pending_.data());
  }
  for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes)) Block(bytes.data());
  if (!bytes.empty()) std::memcpy(pending_.data(), bytes.data(), bytes.size());
}

std::string Sha256::Hex() {
  const uint64_t bits = bytes_ * 8;
  std::byte padding[kBlockBytes + 8] = {std::byte{0x80}};
  // To 8 bytes before the end of a block, where the length stands.
  const size_t zeros = (2 * kBlockBytes - 8 - bytes_ % kBlockBytes - 1) % kBlockBytes + 1;
  for (int i = 0; i < 8; ++i) padding[zeros + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  Add({padding, zeros + 8});
  std::string hex;
  for (const uint32_t word : state_) hex += fmt::format("{:08x}", word);
  return hex;
}

std::string Sha256Hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.Add(bytes);
  return hash.Hex();
}

}  // namespace atc
