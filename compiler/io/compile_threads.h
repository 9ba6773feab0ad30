// Work of a conversion that several threads share; what comes out is the same with any number of them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace atc {

// MAX_COMPILE_CORE_NUMBER where it is a whole number above zero, else `fallback`; never more than there are cores.
size_t CompileThreads(size_t fallback);

// Threads that take part in what one of them, the caller, has to do: again and again, since a new thread costs more than
// most constants do. Nothing waits for a thread that a busy machine has not let begin: the caller does its share, too.
class CompileTeam {
 public:
  // `threads`: with the caller. There are none but the caller until there is something to share, and only as many as the
  // process can have.
  explicit CompileTeam(size_t threads) : wanted_(threads) {}
  ~CompileTeam();
  CompileTeam(const CompileTeam&) = delete;
  CompileTeam& operator=(const CompileTeam&) = delete;

  // Calls `work` with every number below `count`. Returns what the call of the smallest number threw, null where none did;
  // numbers that have not been begun when one throws are left out. One caller at a time.
  std::exception_ptr ForEach(size_t count, const std::function<void(size_t)>& work);

 private:
  void Start();
  void Help();
  void DoOne(std::unique_lock<std::mutex>& lock);

  const size_t wanted_;
  std::mutex mutex_;
  std::condition_variable given_;  // or ended
  std::condition_variable done_;
  bool ended_ = false;
  // Of the work in hand.
  const std::function<void(size_t)>* work_ = nullptr;
  size_t next_ = 0;
  size_t count_ = 0;
  size_t in_hand_ = 0;
  std::exception_ptr fault_;
  size_t faulty_ = 0;
  std::vector<std::thread> others_;
};

// Once, by so many threads.
std::exception_ptr ForEachOnThreads(size_t count, size_t threads, const std::function<void(size_t)>& work);

}  // namespace atc
