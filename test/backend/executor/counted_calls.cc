// The program's own definitions of the functions that are counted: they come before those of the libraries.
#include "test/backend/executor/counted_calls.h"

// Sanitizers have definitions of their own, which must stay.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <new>
#include <string_view>

namespace {

std::atomic<bool> counting = false;
std::atomic<int> allocations = 0, locks = 0;

void Count(std::atomic<int>& count, const void* caller) {
  if (!counting.load(std::memory_order_relaxed)) return;
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return;
  const std::string_view library = info.dli_fname;
  if (library.find("libdnnl") == library.npos && library.find("libgomp") == library.npos) ++count;
}

// What the libraries have under this name.
template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void* operator new(size_t size) {
  Count(allocations, __builtin_return_address(0));
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, std::align_val_t align) {
  Count(allocations, __builtin_return_address(0));
  const auto unit = static_cast<size_t>(align);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

// std::mutex, std::shared_mutex and std::condition_variable end here; waits for atomics are made of system calls.
extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  Count(locks, __builtin_return_address(0));
  static auto* const next = Next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  return next(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  Count(locks, __builtin_return_address(0));
  static auto* const next = Next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  return next(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  Count(locks, __builtin_return_address(0));
  static auto* const next = Next<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  return next(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  Count(locks, __builtin_return_address(0));
  static auto* const next = Next<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  return next(lock);
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  Count(locks, __builtin_return_address(0));
  static auto* const next = Next<int(pthread_cond_t*)>("pthread_cond_signal");
  return next(condition);
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  Count(locks, __builtin_return_address(0));
  static auto* const next = Next<int(pthread_cond_t*)>("pthread_cond_broadcast");
  return next(condition);
}
long syscall(long number, ...) noexcept {
  if (number == SYS_futex) Count(locks, __builtin_return_address(0));
  static auto* const next = Next<long(long, ...)>("syscall");
  va_list rest;
  va_start(rest, number);
  long values[6];
  for (long& value : values) value = va_arg(rest, long);
  va_end(rest);
  return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

}  // extern "C"

namespace atc::test {

void BeginCounting() {
  allocations = locks = 0;
  counting = true;
}

CountedCalls EndCounting() {
  counting = false;
  return {allocations, locks};
}

}  // namespace atc::test
#endif
