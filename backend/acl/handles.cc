#include "backend/acl/handles.h"

namespace atc::acl {
namespace {

template <class T>
aclError FindOwned(const HandleTable<Owned<T>>& table, const void* handle, const char* kind, std::shared_ptr<T>* out) {
  std::shared_ptr<runtime::Context> current;
  if (const aclError code = CurrentContext(&current); code != ACL_SUCCESS) return code;
  const auto found = table.Find(handle);
  if (!found) {
    return Fail(ACL_ERROR_RT_INVALID_HANDLE,
                std::string("the handle is not that of ") + kind + " that is alive: it was destroyed, or never was one");
  }
  if (found->context != current) {
    return Fail(ACL_ERROR_RT_STREAM_CONTEXT, std::string(kind) + " of another context than the thread's current one");
  }
  *out = found->object;
  return ACL_SUCCESS;
}

}  // namespace

// Never destroyed: a program's own statics may use the API until the process ends.
HandleTable<runtime::Context>& Contexts() {
  static auto* table = new HandleTable<runtime::Context>(HandleKind::kContext);
  return *table;
}

HandleTable<Owned<runtime::Stream>>& Streams() {
  static auto* table = new HandleTable<Owned<runtime::Stream>>(HandleKind::kStream);
  return *table;
}

HandleTable<Owned<runtime::Event>>& Events() {
  static auto* table = new HandleTable<Owned<runtime::Event>>(HandleKind::kEvent);
  return *table;
}

HandleTable<Owned<runtime::Notify>>& Notifies() {
  static auto* table = new HandleTable<Owned<runtime::Notify>>(HandleKind::kNotify);
  return *table;
}

aclError CurrentContext(std::shared_ptr<runtime::Context>* out) {
  *out = runtime::Runtime::Get().current();
  if (*out) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_CONTEXT_NULL,
              "the calling thread has no context: call aclrtSetDevice or aclrtSetCurrentContext in it first");
}

aclError FindStream(aclrtStream handle, std::shared_ptr<runtime::Stream>* out) {
  if (handle != nullptr) return FindOwned(Streams(), handle, "a stream", out);
  std::shared_ptr<runtime::Context> current;
  if (const aclError code = CurrentContext(&current); code != ACL_SUCCESS) return code;
  *out = current->default_stream();
  return ACL_SUCCESS;
}

aclError FindEvent(aclrtEvent handle, std::shared_ptr<runtime::Event>* out) {
  if (handle == nullptr) return NullArgument("event");
  return FindOwned(Events(), handle, "an event", out);
}

aclError FindNotify(aclrtNotify handle, std::shared_ptr<runtime::Notify>* out) {
  if (handle == nullptr) return NullArgument("notify");
  return FindOwned(Notifies(), handle, "a notify", out);
}

void SweepHandles() {
  Notifies().RemoveIf([](const auto& owned) { return owned.context->closed(); });
  Streams().RemoveIf([](const auto& owned) { return owned.context->closed(); });
  Events().RemoveIf([](const auto& owned) { return owned.context->closed(); });
  Contexts().RemoveIf([](const runtime::Context& context) { return context.closed(); });
}

}  // namespace atc::acl
