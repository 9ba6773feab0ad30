#include "backend/runtime/runtime.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "backend/runtime/failure.h"

namespace atc::runtime {
namespace {

constexpr int kMaxDevices = 64;

thread_local std::weak_ptr<Context> current_context;

int DeviceCount() {
  const char* text = std::getenv("OPENATC_DEVICES");
  if (text == nullptr) return 1;
  int count = 1;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), count);
  return error == std::errc() && *end == '\0' ? std::clamp(count, 1, kMaxDevices) : 1;
}

// The memory of a device is the host's.
uint64_t PhysicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Runtime& Runtime::Get() {
  // Never destroyed: other threads may still use it while the process ends. The guard ends the streams' threads before
  // the library's statics go, unless exit was called by a function that runs in a stream and so cannot be waited for.
  static Runtime* runtime = new Runtime;
  static const struct AtExit {
    ~AtExit() {
      if (Stream::Current() == nullptr) runtime->Shutdown();
    }
  } at_exit;
  return *runtime;
}

Runtime::Runtime() : memory_(PhysicalMemory()), device_count_(DeviceCount()), cores_(UsableCores()) {
  const char* soc = std::getenv("OPENATC_SOC_VERSION");
  soc_name_ = soc != nullptr && *soc != '\0' ? soc : "Ascend910B1";
  for (int id = 0; id < kMaxDevices; ++id) devices_.push_back(std::make_unique<Device>(id, memory_));
}

Code Runtime::FindDevice(int id, Device** out) {
  if (id < 0 || id >= device_count()) {
    return Fail(kInvalidDevice, "there is no device " + std::to_string(id) + "; devices here are 0 to " +
                                    std::to_string(device_count() - 1));
  }
  *out = devices_[id].get();
  return kOk;
}

Code Runtime::SetDevice(int id) {
  Device* device = nullptr;
  if (const Code code = FindDevice(id, &device); code != kOk) return code;
  std::shared_ptr<Context> context;
  if (const Code code = device->Set(&context); code != kOk) return code;
  set_current(std::move(context));
  return kOk;
}

Code Runtime::ResetDevice(int id, bool force) {
  Device* device = nullptr;
  if (const Code code = FindDevice(id, &device); code != kOk) return code;
  if (Stream::Current() != nullptr) {
    return Fail(kFeatureNotSupported, "a function that runs in a stream tries to reset a device");
  }
  bool last = false;
  if (const Code code = device->Unset(force, &last); code != kOk || !last) return code;
  return Release(*device, force);
}

Code Runtime::Release(Device& device, bool drop) {
  if (const Code code = device.Release(drop); code != kOk) return code;
  std::vector<std::function<void(int)>> hooks;
  {
    std::lock_guard lock(hooks_mutex_);
    hooks = hooks_;
  }
  for (const auto& hook : hooks) hook(device.id());
  device.FreeAll();
  return kOk;
}

Code Runtime::CreateContext(int id, std::shared_ptr<Context>* out) {
  Device* device = nullptr;
  if (const Code code = FindDevice(id, &device); code != kOk) return code;
  *out = device->CreateContext();
  set_current(*out);
  return kOk;
}

Code Runtime::DestroyContext(Context& context) { return context.device().DestroyContext(context); }

std::shared_ptr<Context> Runtime::current() {
  std::shared_ptr<Context> context = current_context.lock();
  if (context && !context->closed()) return context;
  const int fallback = default_device_;
  if (fallback < 0 || SetDevice(fallback) != kOk) return nullptr;
  return current_context.lock();
}

Code Runtime::SetDeviceCount(int count) {
  if (count < 1 || count > kMaxDevices) {
    return Fail(kParamInvalid, "there can be 1 to " + std::to_string(kMaxDevices) + " devices, not " + std::to_string(count));
  }
  device_count_ = count;
  return kOk;
}

std::string Runtime::soc_name() const {
  std::lock_guard lock(soc_mutex_);
  return soc_name_;
}

void Runtime::set_soc_name(std::string name) {
  std::lock_guard lock(soc_mutex_);
  soc_name_ = std::move(name);
}

void Runtime::set_current(const std::shared_ptr<Context>& context) { current_context = context; }

void Runtime::AddReleaseHook(std::function<void(int)> hook) {
  std::lock_guard lock(hooks_mutex_);
  hooks_.push_back(std::move(hook));
}

Code Runtime::Shutdown() {
  if (Stream::Current() != nullptr) {
    return Fail(kFeatureNotSupported, "a function that runs in a stream tries to shut down the runtime");
  }
  for (const std::unique_ptr<Device>& device : devices_) {
    bool last = false;
    device->Unset(true, &last);
    Release(*device, true);
  }
  memory_.Release(MemoryKind::kHost, 0);
  ClearFailureListeners();
  default_device_ = -1;
  return kOk;
}

uint32_t Runtime::UsableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

Code Runtime::SetCores(uint32_t cores) {
  const uint32_t usable = UsableCores();
  if (cores > usable) {
    return Fail(kParamInvalid, "a budget of " + std::to_string(cores) + " cores was asked for; the process may use " +
                                   std::to_string(usable));
  }
  cores_ = cores == 0 ? usable : cores;
  return kOk;
}

}  // namespace atc::runtime
