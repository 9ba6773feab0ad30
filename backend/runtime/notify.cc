#include "backend/runtime/notify.h"

#include <chrono>

#include "backend/runtime/stream.h"

namespace atc::runtime {

Code Notify::Record(Stream& stream) {
  return stream.Enqueue([flag = flag_](Stream&) {
    std::lock_guard lock(flag->mutex);
    flag->set = true;
    flag->changed.notify_one();
    return kOk;
  });
}

Code Notify::WaitAndReset(Stream& stream, uint32_t timeout_ms) {
  return stream.Enqueue([flag = flag_, id = id_, timeout_ms](Stream& on) -> Code {
    std::unique_lock lock(flag->mutex);
    const auto over = [&] { return flag->set || flag->abandoned; };
    const bool reached =
        timeout_ms == 0 ? flag->changed.wait(lock, on.stop_token(), over)
                        : flag->changed.wait_for(lock, on.stop_token(), std::chrono::milliseconds(timeout_ms), over);
    if (reached && flag->set) {
      flag->set = false;
      return kOk;
    }
    if (on.stop_token().stop_requested() || flag->abandoned) {
      return Fail(kStreamAbort, "the record of notify " + std::to_string(id) + " that the stream waited for never came");
    }
    return Fail(kTaskTimeout, "notify " + std::to_string(id) + " was not recorded within " + std::to_string(timeout_ms) +
                                  " ms");
  });
}

void Notify::Reset() {
  std::lock_guard lock(flag_->mutex);
  flag_->set = false;
}

void Notify::Abandon() {
  std::lock_guard lock(flag_->mutex);
  flag_->abandoned = true;
  flag_->changed.notify_all();
}

}  // namespace atc::runtime
