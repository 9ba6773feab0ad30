// acl_prof.h: marks and spans of the program's own.
#include <atomic>
#include <cstring>
#include <map>

#include "backend/acl/call_log.h"
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_prof.h"
#include "backend/acl/prof_session.h"

using namespace atc::acl;
using atc::runtime::Stream;

namespace {

constexpr size_t kLongestMark = 127;

struct Stamp {
  std::mutex mutex;
  std::string message;
  uint32_t category = 0;
};

struct Open {
  std::shared_ptr<Stamp> stamp;
  uint64_t start = 0;
};

HandleTable<Stamp>& Stamps() {
  static auto* table = new HandleTable<Stamp>(HandleKind::kProfStamp);
  return *table;
}

struct Shared {
  std::mutex mutex;
  std::map<uint32_t, std::string> categories;
  std::map<uint32_t, Open> ranges;
  uint32_t last_range = 0;
};
Shared& TheShared() {
  static auto* shared = new Shared;
  return *shared;
}

thread_local std::vector<Open> pushed;

std::string CategoryOf(uint32_t category) {
  std::lock_guard lock(TheShared().mutex);
  const auto found = TheShared().categories.find(category);
  return found == TheShared().categories.end() ? "msproftx" : found->second;
}

void Keep(Stamp& stamp, uint64_t start, uint64_t end) {
  if (!KeepsMarks()) return;
  std::string message;
  uint32_t category = 0;
  {
    std::lock_guard lock(stamp.mutex);
    message = stamp.message;
    category = stamp.category;
  }
  AddSpan(message.empty() ? "mark" : message, CategoryOf(category), start, end);
}

template <class Use>
aclError WithStamp(void* handle, Use&& use) {
  if (handle == nullptr) return NullArgument("stamp");
  const std::shared_ptr<Stamp> stamp = Stamps().Find(handle);
  return stamp ? use(stamp) : BadHandle("stamp", "a stamp");
}

}  // namespace

void* aclprofCreateStamp(void) {
  return GuardValue<void*>(nullptr, [] { return Stamps().Add(std::make_shared<Stamp>()); });
}

void aclprofDestroyStamp(void* stamp) {
  Guard([&]() -> aclError { return Stamps().Remove(stamp) ? ACL_SUCCESS : BadHandle("stamp", "a stamp"); });
}

aclError aclprofSetStampTraceMessage(void* stamp, const char* msg, uint32_t msgLen) {
  return Guard([&]() -> aclError {
    if (msg == nullptr) return NullArgument("msg");
    return WithStamp(stamp, [&](const std::shared_ptr<Stamp>& found) -> aclError {
      std::lock_guard lock(found->mutex);
      found->message.assign(msg, strnlen(msg, msgLen));
      return ACL_SUCCESS;
    });
  });
}

aclError aclprofSetCategoryName(uint32_t category, const char* categoryName) {
  return Guard([&]() -> aclError {
    if (categoryName == nullptr) return NullArgument("categoryName");
    std::lock_guard lock(TheShared().mutex);
    TheShared().categories[category] = categoryName;
    return ACL_SUCCESS;
  });
}

aclError aclprofSetStampCategory(void* stamp, uint32_t category) {
  return Guard([&]() -> aclError {
    return WithStamp(stamp, [&](const std::shared_ptr<Stamp>& found) -> aclError {
      std::lock_guard lock(found->mutex);
      found->category = category;
      return ACL_SUCCESS;
    });
  });
}

aclError aclprofMark(void* stamp) {
  return Guard([&]() -> aclError {
    return WithStamp(stamp, [](const std::shared_ptr<Stamp>& found) -> aclError {
      const uint64_t now = CallClock();
      Keep(*found, now, now);
      return ACL_SUCCESS;
    });
  });
}

aclError aclprofMarkEx(const char* msg, size_t msgLen, aclrtStream stream) {
  return Guard([&]() -> aclError {
    if (msg == nullptr) return NullArgument("msg");
    if (msgLen == 0 || msgLen > kLongestMark || strnlen(msg, msgLen + 1) != msgLen) {
      return Fail(ACL_ERROR_INVALID_PARAM, "msg has another length than msgLen, or not 1 to 127 characters");
    }
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    if (!KeepsMarks()) return ACL_SUCCESS;
    const std::string message(msg, msgLen);
    const uint64_t now = CallClock();
    AddSpan(message, "msproftx", now, now);
    return on->Enqueue([message](Stream&) -> aclError {
      const uint64_t then = CallClock();
      AddSpan(message, "msproftx on stream", then, then);
      return ACL_SUCCESS;
    });
  });
}

aclError aclprofPush(void* stamp) {
  return Guard([&]() -> aclError {
    return WithStamp(stamp, [](const std::shared_ptr<Stamp>& found) -> aclError {
      pushed.push_back({found, CallClock()});
      return ACL_SUCCESS;
    });
  });
}

aclError aclprofPop(void) {
  return Guard([]() -> aclError {
    if (pushed.empty()) return Fail(ACL_ERROR_INVALID_PARAM, "aclprofPop without an aclprofPush on this thread");
    const Open open = pushed.back();
    pushed.pop_back();
    Keep(*open.stamp, open.start, CallClock());
    return ACL_SUCCESS;
  });
}

aclError aclprofRangeStart(void* stamp, uint32_t* rangeId) {
  return Guard([&]() -> aclError {
    if (rangeId == nullptr) return NullArgument("rangeId");
    return WithStamp(stamp, [&](const std::shared_ptr<Stamp>& found) -> aclError {
      std::lock_guard lock(TheShared().mutex);
      *rangeId = ++TheShared().last_range;
      TheShared().ranges[*rangeId] = {found, CallClock()};
      return ACL_SUCCESS;
    });
  });
}

aclError aclprofRangeStop(uint32_t rangeId) {
  return Guard([&]() -> aclError {
    Open open;
    {
      std::lock_guard lock(TheShared().mutex);
      const auto found = TheShared().ranges.find(rangeId);
      if (found == TheShared().ranges.end()) return Fail(ACL_ERROR_INVALID_PARAM, "there is no range " + std::to_string(rangeId) + " that was started");
      open = found->second;
      TheShared().ranges.erase(found);
    }
    Keep(*open.stamp, open.start, CallClock());
    return ACL_SUCCESS;
  });
}
