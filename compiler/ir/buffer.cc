#include <sys/mman.h>

#include <cstring>
#include <new>

#include "compiler/ir/tensor.h"

namespace atc {
namespace {

constexpr std::align_val_t kAlign{64};

// From this size on a buffer is pages of its own. The C library's allocator keeps freed blocks for later, and does not
// always find them again for aligned requests: derived constants, made and dropped one after another, would add up to
// the size of the model.
constexpr size_t kOwnPages = size_t{1} << 20;

// Where a large page fits whole, the system is asked for one: it is had in a fraction of the time of its small ones.
std::byte* AllocatePages(size_t size) {
  constexpr size_t kLargePage = size_t{2} << 20;
  void* pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  if (size >= kLargePage) ::madvise(pages, size / kLargePage * kLargePage, MADV_HUGEPAGE);
  return static_cast<std::byte*>(pages);
}

}  // namespace

Buffer Buffer::Allocate(size_t size) {
  Buffer buffer;
  buffer.size = size;
  if (size >= kOwnPages) {
    buffer.data = AllocatePages(size);  // the system hands out zeros
    buffer.owner =
        std::shared_ptr<const void>(buffer.data, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
    return buffer;
  }
  buffer.data = static_cast<std::byte*>(::operator new(size == 0 ? 1 : size, kAlign));
  std::memset(buffer.data, 0, size);
  buffer.owner =
      std::shared_ptr<const void>(buffer.data, [](const void* p) { ::operator delete(const_cast<void*>(p), kAlign); });
  return buffer;
}

}  // namespace atc
