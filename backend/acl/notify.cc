// acl_rt.h: notify.
#include "backend/acl/handles.h"
#include "backend/acl/include/acl/acl_rt.h"

using namespace atc::acl;
using atc::runtime::Context;
using atc::runtime::Notify;
using atc::runtime::Stream;

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  return Guard([&]() -> aclError {
    if (notify == nullptr) return NullArgument("notify");
    if (flag != 0) return Fail(ACL_ERROR_RT_PARAM_INVALID, "a notify's flag is 0, not " + std::to_string(flag));
    std::shared_ptr<Context> context;
    if (const aclError code = CurrentContext(&context); code != ACL_SUCCESS) return code;
    std::shared_ptr<Notify> created;
    if (const aclError code = context->CreateNotify(&created); code != ACL_SUCCESS) return code;
    *notify = Notifies().Add(std::make_shared<Owned<Notify>>(std::move(created), std::move(context)));
    return ACL_SUCCESS;
  });
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
  return Guard([&]() -> aclError {
    if (notify == nullptr) return NullArgument("notify");
    const auto found = Notifies().Remove(notify);
    if (!found) return Fail(ACL_ERROR_RT_INVALID_HANDLE, "the handle is not that of a notify that is alive");
    return found->context->DestroyNotify(*found->object);
  });
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Notify> found;
    if (const aclError code = FindNotify(notify, &found); code != ACL_SUCCESS) return code;
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return found->Record(*on);
  });
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout) {
  return Guard([&]() -> aclError {
    std::shared_ptr<Notify> found;
    if (const aclError code = FindNotify(notify, &found); code != ACL_SUCCESS) return code;
    std::shared_ptr<Stream> on;
    if (const aclError code = FindStream(stream, &on); code != ACL_SUCCESS) return code;
    return found->WaitAndReset(*on, timeout);
  });
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  return Guard([&]() -> aclError {
    if (notifyId == nullptr) return NullArgument("notifyId");
    std::shared_ptr<Notify> found;
    if (const aclError code = FindNotify(notify, &found); code != ACL_SUCCESS) return code;
    *notifyId = found->id();
    return ACL_SUCCESS;
  });
}

aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num) {
  return Guard([&]() -> aclError {
    if (notifies == nullptr) return NullArgument("notifies");
    for (size_t i = 0; i < num; ++i) {
      std::shared_ptr<Notify> found;
      if (const aclError code = FindNotify(notifies[i], &found); code != ACL_SUCCESS) return code;
      found->Reset();
    }
    return ACL_SUCCESS;
  });
}
