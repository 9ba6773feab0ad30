// The process's devices, the calling thread's current context, and the core budget.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
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
  int device_count() const { return device_count_; }
  // The same by configuration. kParamInvalid beyond 1 to 64.
  Code SetDeviceCount(int count);
  // The chip that the devices stand for: OPENATC_SOC_VERSION, or what was set here.
  std::string soc_name() const;
  void set_soc_name(std::string name);
  // The device that a thread without a context uses; -1: none.
  int default_device() const { return default_device_; }
  void set_default_device(int id) { default_device_ = id; }
  // kInvalidDevice when there is no such device; *out is left alone then.
  Code FindDevice(int id, Device** out);

  // Makes the device's default context current.
  Code SetDevice(int id);
  // Releases the device with its last reference, or at once when forced (and drops queued work then).
  Code ResetDevice(int id, bool force);
  // Becomes current.
  Code CreateContext(int device, std::shared_ptr<Context>* out);
  Code DestroyContext(Context& context);

  // The calling thread's context; null when none was set or it was destroyed since, and there is no default device.
  std::shared_ptr<Context> current();
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
  std::vector<std::unique_ptr<Device>> devices_;  // kMaxDevices of them, whose number never changes
  std::atomic<int> device_count_;
  std::atomic<int> default_device_{-1};
  mutable std::mutex soc_mutex_;
  std::string soc_name_;
  std::mutex hooks_mutex_;
  std::vector<std::function<void(int)>> hooks_;
  std::atomic<uint32_t> cores_;
};

}  // namespace atc::runtime
