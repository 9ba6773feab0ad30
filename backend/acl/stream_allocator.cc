// acl_rt_allocator.h: allocators of a program's own, by stream.
#include <map>

#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt_allocator.h"

using namespace atc::acl;
using atc::runtime::Stream;

namespace {

struct Allocator {
  aclrtAllocatorDesc desc = nullptr;
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  aclrtAllocatorFreeFunc free = nullptr;
  aclrtAllocatorAllocAdviseFunc advise = nullptr;
  aclrtAllocatorGetAddrFromBlockFunc address = nullptr;
};

struct Description {
  std::mutex mutex;
  Allocator allocator;
};

HandleTable<Description>& Descriptions() {
  static auto* table = new HandleTable<Description>(HandleKind::kAllocatorDesc);
  return *table;
}

struct Registered {
  std::mutex mutex;
  std::map<std::weak_ptr<Stream>, Allocator, std::owner_less<>> by_stream;
};

Registered& TheRegistered() {
  static auto* registered = new Registered;
  return *registered;
}

template <class Member, class Value>
aclError Set(aclrtAllocatorDesc handle, Member member, const char* what, Value value) {
  return Guard([&]() -> aclError {
    if (handle == nullptr) return NullArgument("allocatorDesc");
    if (value == nullptr) return NullArgument(what);
    const auto description = Descriptions().Find(handle);
    if (!description) return BadHandle("allocatorDesc", "a description of an allocator");
    std::lock_guard lock(description->mutex);
    description->allocator.*member = value;
    return ACL_SUCCESS;
  });
}

// NULL, the default stream, is none that has an allocator.
aclError FindNamed(aclrtStream handle, std::shared_ptr<Stream>* stream) {
  return handle == nullptr ? NullArgument("stream") : FindStream(handle, stream);
}

}  // namespace

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void) {
  return GuardValue<aclrtAllocatorDesc>(nullptr, [] { return Descriptions().Add(std::make_shared<Description>()); });
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
  return Guard([&]() -> aclError {
    if (allocatorDesc == nullptr) return NullArgument("allocatorDesc");
    return Descriptions().Remove(allocatorDesc) ? ACL_SUCCESS : BadHandle("allocatorDesc", "a description of an allocator");
  });
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator) {
  return Set(allocatorDesc, &Allocator::object, "allocator", allocator);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func) {
  return Set(allocatorDesc, &Allocator::allocate, "func", func);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func) {
  return Set(allocatorDesc, &Allocator::free, "func", func);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func) {
  return Set(allocatorDesc, &Allocator::advise, "func", func);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func) {
  return Set(allocatorDesc, &Allocator::address, "func", func);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Stream> on;
    if (const aclError code = FindNamed(stream, &on); code != ACL_SUCCESS) return code;
    if (allocatorDesc == nullptr) return NullArgument("allocatorDesc");
    const auto description = Descriptions().Find(allocatorDesc);
    if (!description) return BadHandle("allocatorDesc", "a description of an allocator");
    Allocator allocator;
    {
      std::lock_guard lock(description->mutex);
      allocator = description->allocator;
    }
    if (allocator.object == nullptr || allocator.allocate == nullptr || allocator.free == nullptr || allocator.address == nullptr) {
      return Fail(ACL_ERROR_INVALID_PARAM, "the description of the allocator lacks its object, or a function to allocate, "
                                           "free or find the address of a block");
    }
    allocator.desc = allocatorDesc;
    Registered& registered = TheRegistered();
    std::lock_guard lock(registered.mutex);
    std::erase_if(registered.by_stream, [](const auto& entry) { return entry.first.expired(); });
    registered.by_stream.insert_or_assign(on, allocator);
    return ACL_SUCCESS;
  });
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
                                   aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
                                   aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Stream> on;
    if (const aclError code = FindNamed(stream, &on); code != ACL_SUCCESS) return code;
    if (allocatorDesc == nullptr || allocator == nullptr || allocFunc == nullptr || freeFunc == nullptr ||
        allocAdviseFunc == nullptr || getAddrFromBlockFunc == nullptr) {
      return NullArgument("that takes a part of the allocator");
    }
    Registered& registered = TheRegistered();
    std::lock_guard lock(registered.mutex);
    const auto found = registered.by_stream.find(on);
    const Allocator of_stream = found == registered.by_stream.end() ? Allocator() : found->second;
    *allocatorDesc = of_stream.desc;
    *allocator = of_stream.object;
    *allocFunc = of_stream.allocate;
    *freeFunc = of_stream.free;
    *allocAdviseFunc = of_stream.advise;
    *getAddrFromBlockFunc = of_stream.address;
    return ACL_SUCCESS;
  });
}

aclError aclrtAllocatorUnregister(aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Stream> on;
    if (const aclError code = FindNamed(stream, &on); code != ACL_SUCCESS) return code;
    std::lock_guard lock(TheRegistered().mutex);
    TheRegistered().by_stream.erase(on);
    return ACL_SUCCESS;
  });
}
