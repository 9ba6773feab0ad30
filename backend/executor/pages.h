// Pages of memory that a model will write, so that the system hands them out at load and not during the first run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atc {

class Pages {
 public:
  // Of a stretch of so many bytes.
  explicit Pages(size_t bytes) : bytes_(bytes), used_((bytes + kPage - 1) / kPage, false) {}

  // Those with bytes of [at, at + bytes), within the stretch.
  void Add(size_t at, size_t bytes);
  void AddAll() { used_.assign(used_.size(), true); }
  void Touch(std::byte* data) const;
  size_t bytes() const;

 private:
  static constexpr size_t kPage = 4096;

  size_t bytes_;
  std::vector<bool> used_;
};

}  // namespace atc
