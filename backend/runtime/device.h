// One simulated device: its contexts, its memory, and how many streams and events it still has.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/runtime/memory.h"
#include "backend/runtime/status.h"

namespace atc::runtime {

class Context;

// A count of what there is a fixed number of.
class Quota {
 public:
  explicit Quota(uint32_t limit) : limit_(limit) {}
  // False when none is left.
  bool Take();
  void Give(size_t count = 1) { used_ -= static_cast<uint32_t>(count); }
  uint32_t limit() const { return limit_; }
  uint32_t used() const { return used_; }

 private:
  const uint32_t limit_;
  std::atomic<uint32_t> used_{0};
};

class Device {
 public:
  Device(int id, Memory& memory) : id_(id), memory_(memory) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int id() const { return id_; }

  // Memory of this device. Codes as Memory::Allocate and Memory::Free.
  // `tail`: with the bytes more that Memory::Allocate describes.
  Code Malloc(size_t bytes, void** out, bool tail = true);
  Code Free(void* base) { return memory_.Free(MemoryKind::kDevice, base); }
  MemoryStats memory_stats() const { return memory_.stats(MemoryKind::kDevice, id_); }
  Memory& memory() { return memory_; }

  // Before a kernel of that name: faults on purpose (fault.h), and those of a device that is lost.
  Code StartKernel(std::string_view name);
  // kOk, or what every use of the device ends with until it is reset.
  Code fault() const { return fault_; }
  // The first kernel that failed since the device was set: its code, kOk while none has.
  Code kernel_fault() const { return kernel_fault_; }
  void NoteKernelFault(Code code) {
    Code none = kOk;
    kernel_fault_.compare_exchange_strong(none, code);
  }

  // The default context, made by the first call. One Unset is due for each Set that succeeds. kParamInvalid when
  // ATC_FAULT, which the first call reads, names no fault.
  Code Set(std::shared_ptr<Context>* context);
  // *last when no Set is left, which the caller answers by Release. With force none is left, otherwise kContextNull
  // when there was none to begin with.
  Code Unset(bool force, bool* last);
  // Waits for queued work or drops it, and destroys all contexts; the memory is freed by FreeAll.
  Code Release(bool drop);
  void FreeAll() { memory_.Release(MemoryKind::kDevice, id_); }

  std::shared_ptr<Context> CreateContext();
  // kParamInvalid for the default context, which goes with the device.
  Code DestroyContext(Context& context);

  // Waits for all streams of all contexts; the first fault of any of them. kFeatureNotSupported on a stream's thread.
  Code Synchronize(int timeout_ms = -1);

  Quota& streams() { return streams_; }
  Quota& events() { return events_; }
  // Streams that are at work, and that there are.
  std::pair<size_t, size_t> Activity() const;
  uint32_t NextStreamId() { return next_stream_++; }
  uint32_t NextEventId() { return next_event_++; }
  uint32_t NextNotifyId() { return next_notify_++; }

 private:
  std::vector<std::shared_ptr<Context>> AllContexts() const;

  const int id_;
  Memory& memory_;
  mutable std::mutex mutex_;
  int references_ = 0;
  std::shared_ptr<Context> default_context_;
  std::vector<std::shared_ptr<Context>> contexts_;  // the default one excluded
  // Ceilings of the cards that this stands for (A2 series).
  Quota streams_{1984};
  Quota events_{65536};
  std::atomic<uint32_t> next_stream_{0};
  std::atomic<uint32_t> next_event_{0};
  std::atomic<uint32_t> next_notify_{0};
  std::atomic<Code> fault_{kOk};
  std::atomic<Code> kernel_fault_{kOk};
};

}  // namespace atc::runtime
