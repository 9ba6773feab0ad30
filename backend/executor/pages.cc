#include "backend/executor/pages.h"

#include <algorithm>

namespace atc {

void Pages::Add(size_t at, size_t bytes) {
  for (size_t page = at / kPage; page * kPage < at + bytes; ++page) used_[page] = true;
}

void Pages::Touch(std::byte* data) const {
  for (size_t page = 0; page < used_.size(); ++page) {
    if (used_[page]) const_cast<volatile std::byte*>(data)[page * kPage] = std::byte{0};
  }
}

size_t Pages::bytes() const {
  return std::min(bytes_, static_cast<size_t>(std::count(used_.begin(), used_.end(), true)) * kPage);
}

}  // namespace atc
