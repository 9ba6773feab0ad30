// acl_rt.h: memory and copies.
#include <algorithm>
#include <cstring>

#include "backend/acl/copy_kind.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"
#include "backend/runtime/signal.h"

using namespace atc::acl;
using atc::runtime::Allocation;
using atc::runtime::Context;
using atc::runtime::Memory;
using atc::runtime::MemoryKind;
using atc::runtime::MemoryStats;
using atc::runtime::Runtime;
using atc::runtime::Signal;
using atc::runtime::Stream;
using atc::runtime::Task;

namespace {

Memory& TheMemory() { return Runtime::Get().memory(); }

bool OnDevice(const void* address) {
  const auto found = TheMemory().Find(address);
  return found && found->kind == MemoryKind::kDevice;
}

bool ValidPolicy(aclrtMemMallocPolicy policy) {
  constexpr uint32_t kFlags =
      ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH | ACL_MEM_ACCESS_USER_SPACE_READONLY;
  return (static_cast<uint32_t>(policy) & ~kFlags) <= ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

// A copy or fill of `count` bytes into `room` bytes at `dst`, from `src` unless that is null.
struct Transfer {
  void* dst = nullptr;
  size_t room = 0;
  const void* src = nullptr;
  size_t count = 0;

  aclError Check() const {
    if (count > room || room == 0) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, std::to_string(count) + " bytes are to be written where " +
                                                  std::to_string(room) + " bytes are said to be");
    }
    if (const aclError code = CheckSide(dst, "destination"); code != ACL_SUCCESS) return code;
    return src == nullptr ? ACL_SUCCESS : CheckSide(src, "source");
  }

  aclError CheckSide(const void* address, const char* side) const {
    if (TheMemory().InBounds(address, count)) return ACL_SUCCESS;
    const auto found = TheMemory().Find(address);
    return Fail(ACL_ERROR_RT_PARAM_INVALID,
                std::string("the ") + side + " reaches past its allocation: " + std::to_string(count) +
                    " bytes from an address inside one of " + std::to_string(found ? found->bytes : 0) + " bytes");
  }
};

aclError CheckCopy(void* dst, const void* src, aclrtMemcpyKind kind) {
  if (dst == nullptr) return NullArgument("dst");
  if (src == nullptr) return NullArgument("src");
  return CheckKind(kind);
}

// The same allocation as when the work was queued: memory freed behind the back of queued work is a fault of that work
// and not a crash.
aclError CheckAlive(const void* address, bool was_known, const char* side) {
  if (!was_known || TheMemory().Find(address)) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_DEVICE_MEM_ERROR, std::string("the ") + side + " was freed before the queued work reached it");
}

}  // namespace

aclError aclrtFree(void* devPtr) {
  return Guard([&]() -> aclError {
    return devPtr == nullptr ? NullArgument("devPtr") : TheMemory().Free(MemoryKind::kDevice, devPtr);
  });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return Guard([&]() -> aclError {
    if (hostPtr == nullptr) return NullArgument("hostPtr");
    if (size == 0) return Fail(ACL_ERROR_INVALID_PARAM, "an allocation of 0 bytes was asked for");
    return TheMemory().Allocate(MemoryKind::kHost, 0, size, hostPtr);
  });
}

aclError aclrtFreeHost(void* hostPtr) {
  return Guard([&]() -> aclError {
    return hostPtr == nullptr ? NullArgument("hostPtr") : TheMemory().Free(MemoryKind::kHost, hostPtr);
  });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return Guard([&]() -> aclError {
    if (ptr == nullptr) return NullArgument("ptr");
    if (devPtr == nullptr) return NullArgument("devPtr");
    if (type != ACL_HOST_REGISTER_MAPPED) {
      return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclrtHostRegisterType " + std::to_string(static_cast<int>(type)));
    }
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    const aclError code = TheMemory().Register(context->device().id(), ptr, size);
    if (code == ACL_SUCCESS) *devPtr = ptr;
    return code;
  });
}

aclError aclrtHostUnregister(void* ptr) {
  return Guard([&]() -> aclError { return ptr == nullptr ? NullArgument("ptr") : TheMemory().Unregister(ptr); });
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckCopy(dst, src, kind); code != ACL_SUCCESS) return code;
    if (const aclError code = Transfer{dst, destMax, src, count}.Check(); code != ACL_SUCCESS) return code;
    std::memmove(dst, src, count);
    return ACL_SUCCESS;
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckCopy(dst, src, kind); code != ACL_SUCCESS) return code;
    if (const aclError code = Transfer{dst, destMax, src, count}.Check(); code != ACL_SUCCESS) return code;
    if (kind == ACL_MEMCPY_HOST_TO_HOST || (!OnDevice(dst) && !OnDevice(src))) {
      return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "an asynchronous copy needs device memory on one side");
    }
    if (const aclError code = CheckKindFits(kind, dst, src); code != ACL_SUCCESS) return code;
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    const bool known_dst = TheMemory().Find(dst).has_value();
    const bool known_src = TheMemory().Find(src).has_value();
    Task task;
    task.run = [=](Stream&) -> aclError {
      if (const aclError code = CheckAlive(dst, known_dst, "destination"); code != ACL_SUCCESS) return code;
      if (const aclError code = CheckAlive(src, known_src, "source"); code != ACL_SUCCESS) return code;
      std::memmove(dst, src, count);
      return ACL_SUCCESS;
    };
    if (known_dst && known_src) return on->Enqueue(std::move(task));
    // Ordinary host memory: in the stream's order, but over when this returns. The stream's own thread is at that
    // place of the order already.
    if (on->OnOwnThread()) return task.run(*on);
    auto done = std::make_shared<Signal>();
    task.run = [run = std::move(task.run), done](Stream& self) {
      const aclError code = run(self);
      done->Set();
      return code;
    };
    task.dropped = [done](aclError code) { done->Set(code); };
    if (const aclError code = on->Enqueue(std::move(task)); code != ACL_SUCCESS) return code;
    done->WaitFor(-1);
    if (done->code() == ACL_SUCCESS) return ACL_SUCCESS;
    return Fail(done->code(), "the copy was dropped with the work of its stream");
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return Guard([&]() -> aclError {
    if (devPtr == nullptr) return NullArgument("devPtr");
    if (const aclError code = Transfer{devPtr, maxCount, nullptr, count}.Check(); code != ACL_SUCCESS) return code;
    std::memset(devPtr, value, count);
    return ACL_SUCCESS;
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (devPtr == nullptr) return NullArgument("devPtr");
    if (const aclError code = Transfer{devPtr, maxCount, nullptr, count}.Check(); code != ACL_SUCCESS) return code;
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return on->Enqueue([=, known = TheMemory().Find(devPtr).has_value()](Stream&) -> aclError {
      if (const aclError code = CheckAlive(devPtr, known, "memory"); code != ACL_SUCCESS) return code;
      std::memset(devPtr, value, count);
      return ACL_SUCCESS;
    });
  });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return Guard([&]() -> aclError {
    if (free == nullptr) return NullArgument("free");
    if (total == nullptr) return NullArgument("total");
    if (attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_NORMAL) {
      return Fail(ACL_ERROR_RT_PARAM_INVALID, "there is no aclrtMemAttr " + std::to_string(static_cast<int>(attr)));
    }
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    const uint64_t used = context->device().memory_stats().bytes;
    *total = TheMemory().capacity();
    *free = *total - std::min<uint64_t>(used, *total);
    return ACL_SUCCESS;
  });
}

namespace {

aclError Malloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy, bool tail, int64_t device_id = -1) {
  return Guard([&]() -> aclError {
    if (devPtr == nullptr) return NullArgument("devPtr");
    if (size == 0) return Fail(ACL_ERROR_INVALID_PARAM, "an allocation of 0 bytes was asked for");
    if (!ValidPolicy(policy)) {
      return Fail(ACL_ERROR_INVALID_PARAM, "there is no aclrtMemMallocPolicy " + std::to_string(static_cast<int>(policy)));
    }
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    atc::runtime::Device* device = &context->device();
    if (device_id >= 0) {
      if (const aclError code = Runtime::Get().FindDevice(static_cast<int>(device_id), &device); code != ACL_SUCCESS) return code;
    }
    return device->Malloc(size, devPtr, tail);
  });
}

// The device that the configuration names, -1 for none.
aclError DeviceOf(const aclrtMallocConfig* cfg, int64_t* device) {
  *device = -1;
  if (cfg == nullptr) return ACL_SUCCESS;
  if (cfg->numAttrs > 0 && cfg->attrs == nullptr) return NullArgument("cfg->attrs");
  for (size_t i = 0; i < cfg->numAttrs; ++i) {
    if (cfg->attrs[i].attr == ACL_RT_MEM_ATTR_DEVICE_ID) *device = cfg->attrs[i].value.deviceId & INT32_MAX;
  }
  return ACL_SUCCESS;
}

aclError WaitForDevice() {
  std::shared_ptr<Context> context;
  if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
  return context->device().Synchronize();
}

aclError CheckRange(void* devPtr, size_t size) {
  if (devPtr == nullptr) return NullArgument("devPtr");
  if (size == 0) return Fail(ACL_ERROR_INVALID_PARAM, "a range of 0 bytes was given");
  return Transfer{devPtr, size, nullptr, size}.Check();
}

}  // namespace

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) { return Malloc(devPtr, size, policy, true); }

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return Malloc(devPtr, size, policy, false);
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return Malloc(devPtr, size, policy, true);
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
  int64_t device = -1;
  if (const aclError code = DeviceOf(cfg, &device); code != ACL_SUCCESS) return code;
  return Malloc(devPtr, size, policy, true, device);
}

aclError aclrtMemFlush(void* devPtr, size_t size) {
  return Guard([&] { return CheckRange(devPtr, size); });
}

aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  return Guard([&] { return CheckRange(devPtr, size); });
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  return Guard([&]() -> aclError {
    if (devPtr == nullptr) return NullArgument("devPtr");
    if (const aclError code = WaitForDevice(); code != ACL_SUCCESS) return code;
    return aclrtFree(devPtr);
  });
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
  int64_t device = -1;
  if (const aclError code = DeviceOf(cfg, &device); code != ACL_SUCCESS) return code;
  return aclrtMallocHost(ptr, size);
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  return Guard([&]() -> aclError {
    if (hostPtr == nullptr) return NullArgument("hostPtr");
    if (const aclError code = WaitForDevice(); code != ACL_SUCCESS) return code;
    return aclrtFreeHost(hostPtr);
  });
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  if (flag != 0) return Fail(ACL_ERROR_INVALID_PARAM, "the flag of a registration is 0, not " + std::to_string(flag));
  void* device_address = nullptr;
  return aclrtHostRegister(ptr, size, ACL_HOST_REGISTER_MAPPED, &device_address);
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
  return Guard([&]() -> aclError {
    if (pHost == nullptr) return NullArgument("pHost");
    if (pDevice == nullptr) return NullArgument("pDevice");
    const auto found = TheMemory().Find(pHost);
    if (flag != 0 || !found || found->registered == 0) {
      return Fail(ACL_ERROR_INVALID_PARAM, "the address is not in memory that was registered (aclrtHostRegisterV2)");
    }
    *pDevice = pHost;
    return ACL_SUCCESS;
  });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return Guard([&]() -> aclError {
    if (ptr == nullptr) return NullArgument("ptr");
    if (attributes == nullptr) return NullArgument("attributes");
    *attributes = {};
    const auto found = TheMemory().Find(ptr);
    attributes->location.type = !found                              ? ACL_MEM_LOCATION_TYPE_UNREGISTERED
                                : found->kind == MemoryKind::kHost  ? ACL_MEM_LOCATION_TYPE_HOST
                                                                    : ACL_MEM_LOCATION_TYPE_DEVICE;
    attributes->location.id = found && found->kind == MemoryKind::kDevice ? static_cast<uint32_t>(found->device) : 0;
    attributes->pageSize = 4096;
    return ACL_SUCCESS;
  });
}

namespace {

aclError CheckWords(void* devPtr, size_t destMax, size_t count) {
  if (devPtr == nullptr) return NullArgument("devPtr");
  if (count > SIZE_MAX / sizeof(uint32_t)) return Fail(ACL_ERROR_RT_PARAM_INVALID, "more words than memory can hold");
  if (reinterpret_cast<uintptr_t>(devPtr) % sizeof(uint32_t) != 0) {
    return Fail(ACL_ERROR_RT_ADDR_UNALIGNED, "words of 32 bits are written to an address that is not a multiple of 4");
  }
  return Transfer{devPtr, destMax, nullptr, count * sizeof(uint32_t)}.Check();
}

}  // namespace

aclError aclrtMemsetD32(void* devPtr, size_t destMax, uint32_t value, size_t count) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckWords(devPtr, destMax, count); code != ACL_SUCCESS) return code;
    std::fill_n(static_cast<uint32_t*>(devPtr), count, value);
    return ACL_SUCCESS;
  });
}

aclError aclrtMemsetD32Async(void* devPtr, size_t destMax, uint32_t value, size_t count, aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (const aclError code = CheckWords(devPtr, destMax, count); code != ACL_SUCCESS) return code;
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return on->Enqueue([=, known = TheMemory().Find(devPtr).has_value()](Stream&) -> aclError {
      if (const aclError code = CheckAlive(devPtr, known, "memory"); code != ACL_SUCCESS) return code;
      std::fill_n(static_cast<uint32_t*>(devPtr), count, value);
      return ACL_SUCCESS;
    });
  });
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  return Guard([&]() -> aclError {
    for (const void* side : {static_cast<const void*>(dst), src}) {
      if (side == nullptr || TheMemory().Find(side)) continue;
      return Fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "a side of the copy is ordinary host memory (use aclrtMallocHost)");
    }
    return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
  });
}
