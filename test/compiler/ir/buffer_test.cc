#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "compiler/ir/tensor.h"

using namespace atc;

namespace {

// Anonymous resident memory of this process in bytes; 0 where the system does not tell.
size_t AnonymousBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    size_t kb = 0;
    if (word == "RssAnon:" && status >> kb) return kb * 1024;
  }
  return 0;
}

}  // namespace

TEST_CASE("buffers are zero and aligned to 64 bytes, whatever their size") {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{4095}, size_t{1} << 20, (size_t{3} << 20) + 5}) {
    const Buffer buffer = Buffer::Allocate(size);
    CHECK(buffer.size == size);
    CHECK(reinterpret_cast<uintptr_t>(buffer.data) % 64 == 0);
    CHECK(std::all_of(buffer.data, buffer.data + size, [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST_CASE("large buffers that are made and dropped one after another do not add up") {
  if (AnonymousBytes() == 0) {
    WARN("SKIPPED: this system does not tell anonymous memory in /proc");
    return;
  }
  const size_t before = AnonymousBytes();
  std::vector<Buffer> small;  // keep blocks of the C library from growing together
  for (size_t k = 0; k < 40; ++k) {
    const Buffer large = Buffer::Allocate((size_t{4} << 20) + 4096 * k);
    std::fill(large.data, large.data + large.size, std::byte{1});
    small.push_back(Buffer::Allocate(1000));
  }
  CHECK(AnonymousBytes() < before + (size_t{8} << 20));
}
