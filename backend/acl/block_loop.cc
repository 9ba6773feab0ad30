#include "backend/acl/block_loop.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "backend/runtime/runtime.h"

namespace atc::acl {
namespace {

thread_local Block current_block;

}  // namespace

const Block& CurrentBlock() { return current_block; }

void RunBlocks(uint32_t blocks, const std::function<void()>& body) {
  std::atomic<uint32_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    for (uint32_t index = next++; index < blocks; index = next++) {
      current_block = {index, blocks};
      try {
        body();
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
    }
    current_block = {};
  };
  std::vector<std::jthread> helpers;
  const uint32_t threads = std::min(blocks, runtime::Runtime::Get().cores());
  for (uint32_t i = 1; i < threads; ++i) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // fewer threads do
    }
  }
  work();
  helpers.clear();  // joins
  if (error) std::rethrow_exception(error);
}

}  // namespace atc::acl
