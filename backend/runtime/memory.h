// Memory of the devices and pinned host memory: allocation, accounting, and which address is what.
// Device memory is ordinary memory of the host; the registry keeps the two apart as a real card does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "backend/runtime/status.h"

namespace atc::runtime {

enum class MemoryKind { kDevice, kHost };

struct Allocation {
  std::byte* base = nullptr;
  size_t bytes = 0;  // as asked for
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;  // of device memory
  size_t taken = 0;  // bytes that it counts for
  int registered = 0;  // how often ordinary memory was registered; 0: allocated here
};

struct MemoryStats {
  uint64_t bytes = 0;
  uint64_t peak_bytes = 0;
  uint64_t count = 0;
};

class Memory {
 public:
  // `capacity`: bytes that the memory of one device, and the pinned memory of the host, may take.
  explicit Memory(uint64_t capacity) : capacity_(capacity) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Aligned to 64 bytes, contents undefined; rounded up to 32 bytes and, with `tail`, 32 more. kParamInvalid for 0 bytes, kMemoryAllocation when there is not enough.
  Code Allocate(MemoryKind kind, int device, size_t bytes, void** out, bool tail = true);
  // kParamInvalid unless `base` is the start of an allocation of that kind that is alive.
  Code Free(MemoryKind kind, void* base);
  // Ordinary memory of the host that the device may use under its own address until it is unregistered as often; it takes
  // nothing of the device's. kParamInvalid where it reaches over memory that is known already, unless it lies within
  // memory that was registered.
  Code Register(int device, void* base, size_t bytes);
  // kParamInvalid unless the address lies in registered memory.
  Code Unregister(void* address);
  // All of one device, or all pinned host memory. Peaks start anew.
  void Release(MemoryKind kind, int device);

  // The allocation that the address lies in, its end excluded.
  std::optional<Allocation> Find(const void* address) const;
  // Ordinary memory, or [address, address + bytes) lies within one allocation, its rounding included.
  bool InBounds(const void* address, size_t bytes) const;

  // How often memory was given back: while the number stands, what lay within an allocation still does.
  uint64_t frees() const { return frees_.load(std::memory_order_acquire); }

  MemoryStats stats(MemoryKind kind, int device) const;
  uint64_t capacity() const { return capacity_; }

 private:
  MemoryStats& StatsOf(MemoryKind kind, int device);

  const uint64_t capacity_;
  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Allocation> allocations_;  // by base
  std::atomic<uint64_t> frees_{0};
  MemoryStats host_;
  std::vector<MemoryStats> devices_;
};

}  // namespace atc::runtime
