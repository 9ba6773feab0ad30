#include "backend/runtime/memory.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace atc::runtime;

TEST_CASE("allocations are aligned, counted and given back") {
  Memory memory(1 << 20);
  void* a = nullptr;
  void* b = nullptr;
  REQUIRE(memory.Allocate(MemoryKind::kDevice, 0, 100, &a) == kOk);
  REQUIRE(memory.Allocate(MemoryKind::kDevice, 0, 1, &b) == kOk);
  CHECK(reinterpret_cast<uintptr_t>(a) % 64 == 0);
  CHECK(reinterpret_cast<uintptr_t>(b) % 64 == 0);
  std::memset(a, 1, 128 + 32);  // rounded up to a block of 32 bytes, plus one
  // 100 -> 128 + 32 -> 192, 1 -> 32 + 32 = 64
  CHECK(memory.stats(MemoryKind::kDevice, 0).bytes == 256);
  CHECK(memory.stats(MemoryKind::kDevice, 0).count == 2);
  CHECK(memory.stats(MemoryKind::kDevice, 1).bytes == 0);
  CHECK(memory.Free(MemoryKind::kDevice, a) == kOk);
  CHECK(memory.stats(MemoryKind::kDevice, 0).bytes == 64);
  CHECK(memory.stats(MemoryKind::kDevice, 0).peak_bytes == 256);
  memory.Release(MemoryKind::kDevice, 0);
  CHECK(memory.stats(MemoryKind::kDevice, 0).count == 0);
  CHECK(memory.Free(MemoryKind::kDevice, b) == kParamInvalid);
}

TEST_CASE("wrong frees and sizes are refused") {
  Memory memory(4096);
  void* p = nullptr;
  CHECK(memory.Allocate(MemoryKind::kDevice, 0, 0, &p) == kParamInvalid);
  CHECK(memory.Allocate(MemoryKind::kDevice, 0, 4097, &p) == kMemoryAllocation);
  CHECK(memory.Allocate(MemoryKind::kDevice, 0, SIZE_MAX, &p) == kMemoryAllocation);
  CHECK(p == nullptr);
  REQUIRE(memory.Allocate(MemoryKind::kDevice, 0, 2000, &p) == kOk);
  void* q = nullptr;
  CHECK(memory.Allocate(MemoryKind::kDevice, 0, 3000, &q) == kMemoryAllocation);
  CHECK(memory.Allocate(MemoryKind::kDevice, 1, 3000, &q) == kOk);  // another device, another memory
  int here = 0;
  CHECK(memory.Free(MemoryKind::kDevice, &here) == kParamInvalid);
  CHECK(memory.Free(MemoryKind::kDevice, nullptr) == kParamInvalid);
  CHECK(memory.Free(MemoryKind::kDevice, static_cast<char*>(p) + 1) == kParamInvalid);
  CHECK(memory.Free(MemoryKind::kHost, p) == kParamInvalid);
  CHECK(memory.Free(MemoryKind::kDevice, p) == kOk);
  CHECK(memory.Free(MemoryKind::kDevice, p) == kParamInvalid);
}

TEST_CASE("ordinary memory is the device's while it is registered") {
  Memory memory(4096);
  alignas(64) static char bytes[256];
  CHECK(memory.Register(1, nullptr, 8) == kParamInvalid);
  CHECK(memory.Register(1, bytes, 0) == kParamInvalid);
  REQUIRE(memory.Register(1, bytes + 64, 128) == kOk);
  CHECK(memory.stats(MemoryKind::kDevice, 1).bytes == 0);
  CHECK(memory.Find(bytes + 64)->device == 1);
  CHECK_FALSE(memory.InBounds(bytes + 64, 129));
  REQUIRE(memory.Register(1, bytes + 128, 64) == kOk);  // within
  CHECK(memory.Register(1, bytes, 65) == kParamInvalid);
  CHECK(memory.Register(1, bytes + 128, 65) == kParamInvalid);
  CHECK(memory.Free(MemoryKind::kDevice, bytes + 64) == kParamInvalid);
  CHECK(memory.Unregister(bytes + 128) == kOk);
  CHECK(memory.Find(bytes + 64));
  CHECK(memory.Unregister(bytes + 64) == kOk);
  CHECK_FALSE(memory.Find(bytes + 64));
  CHECK(memory.Unregister(bytes + 64) == kParamInvalid);
  REQUIRE(memory.Register(1, bytes, 256) == kOk);
  memory.Release(MemoryKind::kDevice, 1);
  CHECK_FALSE(memory.Find(bytes));
}

TEST_CASE("an address tells whose it is and how far it reaches") {
  Memory memory(1 << 20);
  void* device = nullptr;
  void* host = nullptr;
  REQUIRE(memory.Allocate(MemoryKind::kDevice, 3, 100, &device) == kOk);
  REQUIRE(memory.Allocate(MemoryKind::kHost, 0, 50, &host) == kOk);
  const auto inside = memory.Find(static_cast<char*>(device) + 99);
  REQUIRE(inside);
  CHECK(inside->kind == MemoryKind::kDevice);
  CHECK(inside->device == 3);
  CHECK(inside->base == device);
  CHECK(inside->bytes == 100);
  CHECK_FALSE(memory.Find(static_cast<char*>(device) + 100));
  REQUIRE(memory.Find(host));
  CHECK(memory.Find(host)->kind == MemoryKind::kHost);
  int here = 0;
  CHECK_FALSE(memory.Find(&here));
  CHECK_FALSE(memory.Find(nullptr));
  CHECK(memory.InBounds(static_cast<char*>(device) + 60, 40));
  CHECK(memory.InBounds(static_cast<char*>(device) + 60, 132));  // to the end of the 192 that 100 take
  CHECK_FALSE(memory.InBounds(static_cast<char*>(device) + 60, 133));
  CHECK(memory.InBounds(&here, 1000));
}
