#include "backend/runtime/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace atc::runtime {
namespace {

constexpr size_t kAlignment = 64;
// What a real card adds, so that kernels may read a whole block at the end.
constexpr size_t kBlock = 32;

// Bytes taken for an allocation: rounded up to a block plus one block, then to the alignment; 0 when that overflows.
size_t Padded(size_t bytes, bool tail) {
  if (bytes > SIZE_MAX - 2 * kBlock - kAlignment) return 0;
  const size_t blocks = (bytes + kBlock - 1) / kBlock * kBlock + (tail ? kBlock : 0);
  return (blocks + kAlignment - 1) / kAlignment * kAlignment;
}

// Where a large page fits whole, the system is asked for one: it is had in a fraction of the time of its small ones.
void* TakePages(size_t bytes) {
  constexpr size_t kLargePage = size_t{2} << 20;
  void* base = nullptr;
  if (bytes < kLargePage) return std::aligned_alloc(kAlignment, bytes);
  // aligned_alloc would want a multiple of the alignment.
  if (::posix_memalign(&base, kLargePage, bytes) != 0) return nullptr;
  ::madvise(base, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
  return base;
}

}  // namespace

Memory::~Memory() {
  for (const auto& [key, allocation] : allocations_) {
    if (allocation.registered == 0) std::free(allocation.base);
  }
}

MemoryStats& Memory::StatsOf(MemoryKind kind, int device) {
  if (kind == MemoryKind::kHost) return host_;
  if (devices_.size() <= static_cast<size_t>(device)) devices_.resize(device + 1);
  return devices_[device];
}

Code Memory::Allocate(MemoryKind kind, int device, size_t bytes, void** out, bool tail) {
  if (bytes == 0) return Fail(kParamInvalid, "an allocation of 0 bytes was asked for");
  const size_t padded = Padded(bytes, tail);
  std::unique_lock lock(mutex_);
  MemoryStats& stats = StatsOf(kind, device);
  void* base = nullptr;
  if (padded != 0 && padded <= capacity_ - std::min<uint64_t>(stats.bytes, capacity_)) {
    base = TakePages(padded);
  }
  if (base == nullptr) {
    return Fail(kMemoryAllocation, "out of " + std::string(kind == MemoryKind::kHost ? "host" : "device") +
                                       " memory: " + std::to_string(bytes) + " bytes were asked for, " +
                                       std::to_string(stats.bytes) + " of " + std::to_string(capacity_) +
                                       " bytes are in use");
  }
  allocations_[reinterpret_cast<uintptr_t>(base)] = {static_cast<std::byte*>(base), bytes, kind, device, padded};
  stats.bytes += padded;
  stats.peak_bytes = std::max(stats.peak_bytes, stats.bytes);
  ++stats.count;
  *out = base;
  return kOk;
}

Code Memory::Free(MemoryKind kind, void* base) {
  std::unique_lock lock(mutex_);
  const auto found = allocations_.find(reinterpret_cast<uintptr_t>(base));
  if (found == allocations_.end()) {
    return Fail(kParamInvalid, "the address to free is not one that was allocated here, or was freed before");
  }
  if (found->second.registered > 0) {
    return Fail(kParamInvalid, "registered memory is ended by aclrtHostUnregister and freed by its owner");
  }
  if (found->second.kind != kind) {
    return Fail(kParamInvalid, kind == MemoryKind::kHost ? "device memory is freed by aclrtFree, not aclrtFreeHost"
                                                         : "host memory is freed by aclrtFreeHost, not aclrtFree");
  }
  MemoryStats& stats = StatsOf(kind, found->second.device);
  stats.bytes -= found->second.taken;
  --stats.count;
  allocations_.erase(found);
  ++frees_;
  lock.unlock();
  std::free(base);
  return kOk;
}

Code Memory::Register(int device, void* base, size_t bytes) {
  if (base == nullptr || bytes == 0) return Fail(kParamInvalid, "0 bytes were to be registered");
  const auto begin = reinterpret_cast<uintptr_t>(base);
  const auto end = [](const Allocation& a) { return reinterpret_cast<uintptr_t>(a.base) + a.bytes; };
  std::unique_lock lock(mutex_);
  auto after = allocations_.upper_bound(begin);
  if (after != allocations_.begin()) {
    Allocation& before = std::prev(after)->second;
    if (before.registered > 0 && begin + bytes <= end(before)) {
      ++before.registered;
      return kOk;
    }
    if (begin < end(before)) return Fail(kParamInvalid, "the memory to register overlaps memory of the device");
  }
  if (after != allocations_.end() && begin + bytes > after->first) {
    return Fail(kParamInvalid, "the memory to register overlaps memory of the device");
  }
  allocations_[begin] = {static_cast<std::byte*>(base), bytes, MemoryKind::kDevice, device, 0, 1};
  return kOk;
}

Code Memory::Unregister(void* address) {
  const auto key = reinterpret_cast<uintptr_t>(address);
  std::unique_lock lock(mutex_);
  auto after = allocations_.upper_bound(key);
  if (address != nullptr && after != allocations_.begin()) {
    const auto found = std::prev(after);
    Allocation& allocation = found->second;
    if (allocation.registered > 0 && key - found->first < allocation.bytes) {
      if (--allocation.registered > 0) return kOk;
      allocations_.erase(found);
      ++frees_;
      return kOk;
    }
  }
  return Fail(kParamInvalid, "the address to unregister is not in registered memory");
}

void Memory::Release(MemoryKind kind, int device) {
  std::unique_lock lock(mutex_);
  std::erase_if(allocations_, [&](const auto& entry) {
    const Allocation& allocation = entry.second;
    if (allocation.kind != kind || (kind == MemoryKind::kDevice && allocation.device != device)) return false;
    if (allocation.registered == 0) std::free(allocation.base);
    return true;
  });
  StatsOf(kind, device) = {};
  ++frees_;
}

std::optional<Allocation> Memory::Find(const void* address) const {
  const auto key = reinterpret_cast<uintptr_t>(address);
  std::shared_lock lock(mutex_);
  auto after = allocations_.upper_bound(key);
  if (after == allocations_.begin()) return std::nullopt;
  const Allocation& candidate = std::prev(after)->second;
  if (key - reinterpret_cast<uintptr_t>(candidate.base) >= candidate.bytes) return std::nullopt;
  return candidate;
}

bool Memory::InBounds(const void* address, size_t bytes) const {
  const std::optional<Allocation> allocation = Find(address);
  if (!allocation) return true;
  const size_t offset = static_cast<const std::byte*>(address) - allocation->base;
  // Programs read and write the blocks that an allocation is rounded up to, as a real card lets them.
  return bytes <= (allocation->registered > 0 ? allocation->bytes : allocation->taken) - offset;
}

MemoryStats Memory::stats(MemoryKind kind, int device) const {
  std::shared_lock lock(mutex_);
  if (kind == MemoryKind::kHost) return host_;
  return static_cast<size_t>(device) < devices_.size() ? devices_[device] : MemoryStats{};
}

}  // namespace atc::runtime
