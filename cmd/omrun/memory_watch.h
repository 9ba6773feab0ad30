// The most anonymous memory that the process held.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace atc::omrun {

// Anonymous memory is what the process made itself: heap, stacks, the device's arena and prepared weights. Pages of
// mapped files (the model's constants, program code) can be dropped and read again, so they do not count; the kernel
// keeps a peak only of the sum of both (VmHWM). So the current figure, resident minus file-backed pages of
// /proc/self/statm, is read every 2 ms while a watch runs, and whenever Sample is called; the maximum is kept. A peak
// shorter than that may be missed.
class MemoryWatch {
 public:
  MemoryWatch();
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;

  // Ends the regular sampling, so that it does not disturb what is timed next.
  void Stop();
  void Sample();
  double peak_mb() const { return static_cast<double>(peak_) / 1e6; }  // MB of 10^6 bytes

 private:
  const int file_;
  const int64_t page_;
  std::atomic<int64_t> peak_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace atc::omrun
