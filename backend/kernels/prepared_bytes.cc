#include "backend/kernels/prepared_bytes.h"

#include <algorithm>
#include <mutex>

#include "compiler/ir/tensor.h"

namespace atc::kernels {
namespace {

constexpr size_t kPiece = size_t{4} << 20;
constexpr size_t kAlign = 64;

}  // namespace

std::shared_ptr<std::byte> AllocatePrepared(size_t size) {
  static std::mutex mutex;
  static std::weak_ptr<const void> current;  // the piece that is filled at present, as long as somebody keeps it
  static std::byte* at = nullptr;
  static size_t left = 0;
  const size_t padded = (std::max<size_t>(size, 1) + kAlign - 1) / kAlign * kAlign;
  if (padded >= kPiece / 2) {
    const Buffer own = Buffer::Allocate(padded);
    return {std::const_pointer_cast<void>(own.owner), own.data};
  }
  const std::lock_guard lock(mutex);
  std::shared_ptr<const void> piece = current.lock();
  if (piece == nullptr || left < padded) {
    const Buffer fresh = Buffer::Allocate(kPiece);
    piece = fresh.owner;
    current = piece;
    at = fresh.data;
    left = kPiece;
  }
  std::byte* const data = at;
  at += padded;
  left -= padded;
  return {std::const_pointer_cast<void>(piece), data};
}

}  // namespace atc::kernels
