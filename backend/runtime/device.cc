#include "backend/runtime/device.h"

#include <algorithm>

#include "backend/runtime/context.h"
#include "backend/runtime/fault.h"

namespace atc::runtime {

bool Quota::Take() {
  uint32_t used = used_;
  while (used < limit_) {
    if (used_.compare_exchange_weak(used, used + 1)) return true;
  }
  return false;
}

Code Device::Malloc(size_t bytes, void** out, bool tail) {
  if (fault_ != kOk) return Fail(fault_, "the device is lost until it is reset");
  if (const Code code = fault::AtAllocation(); code != kOk) return code;
  return memory_.Allocate(MemoryKind::kDevice, id_, bytes, out, tail);
}

Code Device::StartKernel(std::string_view name) {
  if (fault_ != kOk) return Fail(fault_, "the device is lost until it is reset");
  bool lost = false;
  const Code code = fault::AtKernel(name, &lost);
  if (lost) fault_ = code;
  return code;
}

std::pair<size_t, size_t> Device::Activity() const {
  std::pair<size_t, size_t> activity;
  for (const std::shared_ptr<Context>& context : AllContexts()) {
    for (const std::shared_ptr<Stream>& stream : context->AllStreams()) {
      activity.first += stream->Idle() ? 0 : 1;
      ++activity.second;
    }
  }
  return activity;
}

Code Device::Set(std::shared_ptr<Context>* context) {
  std::lock_guard lock(mutex_);
  // A fault that was asked for in wrong words would otherwise never strike, and the test that wants it would pass.
  if (references_ == 0) {
    if (const Code code = fault::Load(); code != kOk) return code;
  }
  ++references_;
  if (!default_context_) default_context_ = std::make_shared<Context>(*this);
  *context = default_context_;
  return kOk;
}

Code Device::Unset(bool force, bool* last) {
  std::lock_guard lock(mutex_);
  if (references_ == 0 && !force) {
    return Fail(kContextNull, "device " + std::to_string(id_) + " is reset but was not set");
  }
  references_ = force ? 0 : references_ - 1;
  *last = references_ == 0;
  return kOk;
}

Code Device::Release(bool drop) {
  for (const std::shared_ptr<Context>& context : AllContexts()) {
    // Refused on a stream's own thread: then nothing more is released.
    if (const Code code = context->Close(drop); code != kOk) return code;
  }
  std::lock_guard lock(mutex_);
  default_context_.reset();
  contexts_.clear();
  fault_ = kOk;
  kernel_fault_ = kOk;
  return kOk;
}

std::shared_ptr<Context> Device::CreateContext() {
  auto context = std::make_shared<Context>(*this);
  std::lock_guard lock(mutex_);
  contexts_.push_back(context);
  return context;
}

Code Device::DestroyContext(Context& context) {
  std::shared_ptr<Context> owned;
  {
    std::lock_guard lock(mutex_);
    if (&context == default_context_.get()) {
      return Fail(kParamInvalid, "the default context goes with its device (aclrtResetDevice), not by itself");
    }
    const auto found = std::find_if(contexts_.begin(), contexts_.end(),
                                    [&](const std::shared_ptr<Context>& each) { return each.get() == &context; });
    if (found == contexts_.end()) return Fail(kContextNull, "the context to destroy is not one of this device");
    owned = *found;
  }
  if (const Code code = owned->Close(false); code != kOk) return code;
  std::lock_guard lock(mutex_);
  std::erase(contexts_, owned);
  return kOk;
}

std::vector<std::shared_ptr<Context>> Device::AllContexts() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Context>> all = contexts_;
  if (default_context_) all.push_back(default_context_);
  return all;
}

Code Device::Synchronize(int timeout_ms) {
  if (Stream::Current() != nullptr) {
    return Fail(kFeatureNotSupported, "a function that runs in a stream waits for all streams: this would never end");
  }
  Code first = kOk;
  for (const std::shared_ptr<Context>& context : AllContexts()) {
    const Code code = context->Synchronize(timeout_ms);
    if (first == kOk) first = code;
  }
  return first;
}

}  // namespace atc::runtime
