#include "backend/acl/lifetime_callbacks.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "backend/acl/guard.h"

namespace atc::acl {
namespace {

template <class Function>
struct Registered {
  aclRegisterCallbackType type;
  Function function;
  void* data;
};

struct State {
  std::mutex mutex;
  std::vector<Registered<aclInitCallbackFunc>> at_init;
  std::vector<Registered<aclFinalizeCallbackFunc>> at_finalize;
  bool started = false;
  std::string config;
};

State& TheState() {
  static auto* state = new State;
  return *state;
}

bool Known(aclRegisterCallbackType type) {
  return (type >= ACL_REG_TYPE_ACL_MODEL && type <= ACL_REG_TYPE_ACL_RETR) || type == ACL_REG_TYPE_OTHER;
}

template <class Function>
auto Find(std::vector<Registered<Function>>& list, aclRegisterCallbackType type, Function function) {
  return std::find_if(list.begin(), list.end(),
                      [&](const auto& each) { return each.type == type && each.function == function; });
}

template <class Function>
aclError Register(std::vector<Registered<Function>>& list, aclRegisterCallbackType type, Function function, void* data) {
  if (function == nullptr) return NullArgument("cbFunc");
  if (!Known(type)) return Fail(ACL_ERROR_INVALID_PARAM, "there is no type " + std::to_string(type) + " of callbacks");
  std::lock_guard lock(TheState().mutex);
  if (Find(list, type, function) != list.end()) {
    return Fail(ACL_ERROR_INVALID_PARAM, "the callback is registered already for this type");
  }
  list.push_back({type, function, data});
  return ACL_SUCCESS;
}

template <class Function>
aclError Unregister(std::vector<Registered<Function>>& list, aclRegisterCallbackType type, Function function) {
  if (function == nullptr) return NullArgument("cbFunc");
  std::lock_guard lock(TheState().mutex);
  const auto found = Find(list, type, function);
  if (found == list.end()) return Fail(ACL_ERROR_INVALID_PARAM, "the callback is not registered for this type");
  list.erase(found);
  return ACL_SUCCESS;
}

// Without the lock: a callback may register others.
template <class Function, class Call>
aclError CallAll(const std::vector<Registered<Function>>& list, Call&& call) {
  std::vector<Registered<Function>> all;
  {
    std::lock_guard lock(TheState().mutex);
    all = list;
  }
  aclError first = ACL_SUCCESS;
  for (const auto& each : all) {
    const aclError code = call(each);
    if (first == ACL_SUCCESS && code != ACL_SUCCESS) first = Fail(code, "a registered callback failed");
  }
  return first;
}

}  // namespace

aclError CallAtInit(const std::string& config) {
  return CallAll(TheState().at_init,
                 [&](const auto& each) { return each.function(config.c_str(), config.size(), each.data); });
}

aclError CallAtFinalize() {
  return CallAll(TheState().at_finalize, [](const auto& each) { return each.function(each.data); });
}

void NoteStarted(bool started, const std::string& config) {
  std::lock_guard lock(TheState().mutex);
  TheState().started = started;
  TheState().config = config;
}

}  // namespace atc::acl

using namespace atc::acl;

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData) {
  return Guard([&]() -> aclError {
    if (const aclError code = Register(TheState().at_init, type, cbFunc, userData); code != ACL_SUCCESS) return code;
    std::unique_lock lock(TheState().mutex);
    if (!TheState().started) return ACL_SUCCESS;
    const std::string config = TheState().config;
    lock.unlock();
    return cbFunc(config.c_str(), config.size(), userData);
  });
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  return Guard([&] { return Unregister(TheState().at_init, type, cbFunc); });
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void* userData) {
  return Guard([&] { return Register(TheState().at_finalize, type, cbFunc, userData); });
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc) {
  return Guard([&] { return Unregister(TheState().at_finalize, type, cbFunc); });
}
