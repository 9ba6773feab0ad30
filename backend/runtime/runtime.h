// The process's devices, the calling thread's current context, and the core budget.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/runtime/context.h"
#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/status.h"

namespace atc::runtime {

class Runtime {
 public:
  static Runtime& Get();

  // One, or as many as the environment variable OPENATC_DEVICES says (at most 64): devices that share the host's cores.
  int device_count() const { return static_cast<int>(devices_.size()); }
  // kInvalidDevice when there is no such device; *out is left alone then.
  Code FindDevice(int id, Device** out);

  // Makes the device's default context current.
  Code SetDevice(int id);
  // Releases the device with its last reference, or at once when forced (and drops queued work then).
  Code ResetDevice(int id, bool force);
  // Becomes current.
  Code CreateContext(int device, std::shared_ptr<Context>* out);
  Code DestroyContext(Context& context);

  // The calling thread's context; null when none was set or it was destroyed since.
  std::shared_ptr<Context> current() const;
  void set_current(const std::shared_ptr<Context>& context);

  // Called when a device is about to lose its streams and memory, once its streams have ended. For what holds device
  // memory on its own account, such as loaded models.
  void AddReleaseHook(std::function<void(int device)> hook);

  // Releases all devices, pinned host memory included; queued work is dropped.
  Code Shutdown();

  Memory& memory() { return memory_; }

  // Cores that the process may run on.
  static uint32_t UsableCores();
  // The budget: at least 1, at most UsableCores(), which is also the default.
  uint32_t cores() const { return cores_; }
  // 0: the default. kParamInvalid above UsableCores().
  Code SetCores(uint32_t cores);

 private:
  Runtime();
  Code Release(Device& device, bool drop);

  Memory memory_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::mutex hooks_mutex_;
  std::vector<std::function<void(int)>> hooks_;
  std::atomic<uint32_t> cores_;
};

}  // namespace atc::runtime
