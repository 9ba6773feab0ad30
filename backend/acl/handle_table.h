// Opaque handles of the C API. A handle is a number that says its kind and is never given twice, not an address: a
// stale, foreign or made-up one is simply not found, and nothing is ever read through it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace atc::acl {

enum class HandleKind : uint64_t {
  kContext = 1, kStream, kEvent, kDataBuffer, kTensorDesc, kModelDesc, kDataset, kProfile,
  kNotify, kBinary, kBinaryHandle, kKernel, kKernelArgs, kModelConfig, kExecConfig, kBundleQuery, kAipp,
  kTensor, kScalar, kIntArray, kFloatArray, kBoolArray, kTensorList, kScalarList, kExecutor, kOpAttr, kOpHandle, kAllocatorDesc,
  kProfConfig, kProfStep, kProfStamp, kProfSubscription, kCompiledModel,
};

template <class T>
class HandleTable {
 public:
  explicit HandleTable(HandleKind kind) : kind_(kind) {}

  void* Add(std::shared_ptr<T> object) {
    std::unique_lock lock(mutex_);
    const uint64_t key = Key(kind_, ++last_);
    objects_.emplace(key, std::move(object));
    return reinterpret_cast<void*>(static_cast<uintptr_t>(key));
  }

  // Null when the handle is not one of this table's that is alive.
  std::shared_ptr<T> Find(const void* handle) const {
    std::shared_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  // The object, which the table no longer knows; null as for Find.
  std::shared_ptr<T> Remove(const void* handle) {
    std::unique_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<uintptr_t>(handle));
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    ++removals_;
    return object;
  }

  // Handle of the first object that the predicate accepts; null when there is none.
  template <class Predicate>
  void* HandleOf(Predicate&& accepts) const {
    std::shared_lock lock(mutex_);
    for (const auto& [key, object] : objects_) {
      if (accepts(*object)) return reinterpret_cast<void*>(static_cast<uintptr_t>(key));
    }
    return nullptr;
  }

  // The objects go after the lock is given back: their ends may be long.
  template <class Predicate>
  void RemoveIf(Predicate&& accepts) {
    std::vector<std::shared_ptr<T>> removed;
    std::unique_lock lock(mutex_);
    for (auto each = objects_.begin(); each != objects_.end();) {
      if (!accepts(*each->second)) {
        ++each;
        continue;
      }
      removed.push_back(std::move(each->second));
      each = objects_.erase(each);
      ++removals_;
    }
    lock.unlock();
  }

  // How many objects have gone: while the number stands, what was found before is still found.
  uint64_t removals() const { return removals_.load(std::memory_order_acquire); }

  size_t size() const {
    std::shared_lock lock(mutex_);
    return objects_.size();
  }

 private:
  // Bits 48 and up are never set in an address of a user's process, so that no pointer passes for a handle.
  static uint64_t Key(HandleKind kind, uint64_t serial) {
    static_assert(sizeof(void*) == 8);
    return (0x0A00 | static_cast<uint64_t>(kind)) << 48 | serial;
  }

  const HandleKind kind_;
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<T>> objects_;
  uint64_t last_ = 0;
  std::atomic<uint64_t> removals_{0};
};

}  // namespace atc::acl
