// Files that hold several oms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/tensor.h"

namespace atc {

// The oms of a bundle, each whole with a header of its own, as windows of one buffer.
struct Bundle {
  std::vector<std::span<const std::byte>> models;
  uint64_t variable_bytes = 0;  // of the variables that they share
  Buffer bytes;
};

// Reads header and table of a bundle; nothing where the file is no bundle, of whatever else it is. Throws Error E10041 for
// a damaged one.
std::optional<Bundle> OpenBundle(const std::string& path);
// The memory is copied.
std::optional<Bundle> OpenBundle(std::span<const std::byte> memory);

}  // namespace atc
