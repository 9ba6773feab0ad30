// Contexts, streams and events behind their handles, with the checks that every call of the runtime API makes.
#pragma once

#include <memory>

#include "backend/acl/guard.h"
#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/acl_rt.h"
#include "backend/runtime/runtime.h"

namespace atc::acl {

// An object of a context. The handle outlives neither.
template <class T>
struct Owned {
  std::shared_ptr<T> object;
  std::shared_ptr<runtime::Context> context;
};

HandleTable<runtime::Context>& Contexts();
HandleTable<Owned<runtime::Stream>>& Streams();
HandleTable<Owned<runtime::Event>>& Events();
HandleTable<Owned<runtime::Notify>>& Notifies();

// The calling thread's context. 107002 when it has none.
aclError CurrentContext(std::shared_ptr<runtime::Context>* out);
// The stream of a handle, NULL standing for the default stream. 107017 for a handle that is none, 107003 for a stream
// of another context than the current one.
aclError FindStream(aclrtStream handle, std::shared_ptr<runtime::Stream>* out);
// 100000 for NULL, else as FindStream.
aclError FindEvent(aclrtEvent handle, std::shared_ptr<runtime::Event>* out);

aclError FindNotify(aclrtNotify handle, std::shared_ptr<runtime::Notify>* out);

// Forgets the handles of contexts that were closed, and of what was theirs.
void SweepHandles();

}  // namespace atc::acl
