#include "backend/executor/bundle.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/io/mapped_file.h"
#include "compiler/om/container.h"

namespace atc {
namespace {

// The header's field that tells kinds of files apart, and its value for a bundle.
constexpr size_t kModelType = 82;
constexpr std::byte kBundle{5};
// Partitions: an om, and the 8 bytes that hold the size of the variables.
constexpr uint32_t kModelPartition = 24;
constexpr uint32_t kVariablesPartition = 25;

std::optional<Bundle> Open(Buffer bytes, const std::string& path) {
  constexpr std::string_view kMagic = "IMOD";
  const std::span<const std::byte> file(bytes.data, bytes.size);
  if (file.size() <= kModelType || file[kModelType] != kBundle) return std::nullopt;
  if (std::string_view(reinterpret_cast<const char*>(file.data()), kMagic.size()) != kMagic) return std::nullopt;
  Bundle bundle;
  for (const Partition& partition : ParseContainer(file, path).partitions) {
    if (partition.type == kModelPartition) {
      bundle.models.push_back(file.subspan(partition.offset, partition.size));
    } else if (partition.type == kVariablesPartition) {
      if (partition.size != sizeof(uint64_t)) {
        throw DamagedOm(path, partition.offset, fmt::format("the size of the variables has {} bytes; expected 8", partition.size));
      }
      for (size_t i = 0; i < partition.size; ++i) {
        bundle.variable_bytes |= std::to_integer<uint64_t>(file[partition.offset + i]) << (8 * i);
      }
    }
  }
  if (bundle.models.empty()) throw DamagedOm(path, kModelType, "the bundle holds no model");
  bundle.bytes = std::move(bytes);
  return bundle;
}

}  // namespace

std::optional<Bundle> OpenBundle(const std::string& path) { return Open(MapFile(path), path); }

std::optional<Bundle> OpenBundle(std::span<const std::byte> memory) {
  Buffer copy = Buffer::Allocate(memory.size());
  std::copy(memory.begin(), memory.end(), copy.data);
  return Open(std::move(copy), "bundle in memory");
}

}  // namespace atc
