// The outside of an om: file header, partition table, partitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/error.h"

namespace atc {

enum class PartitionType : uint32_t {
  kModelDef = 0,
  kWeights = 1,
  kTasks = 2,
  kTbeKernels = 3,
  kAiCpuKernels = 4,
  kSoBins = 5,
  kInOutInfo = 8,
};

inline constexpr size_t kOmHeaderBytes = 256;
inline constexpr uint32_t kOmVersion = 0x20000000;
inline constexpr uint32_t kOmProtoVersion = 2;  // ModelDef.version

struct PartitionSize {
  PartitionType type;
  uint64_t size;
};

// Two numbers in the header's field for a checksum, which the vendor's tools leave at zero and do not read.
struct OmChecksums {
  uint64_t graph = 0;    // see checksum.h
  uint64_t weights = 0;  // WeightLayout::hash
};
inline constexpr size_t kChecksumOffset = 12;
void SetChecksums(const OmChecksums& checksums, std::string* prefix);
inline void ClearChecksums(std::string* prefix) { SetChecksums({}, prefix); }

// Header and table of a file that holds these partitions, back to back in this order, without checksums.
std::string OmPrefix(std::string_view model_name, bool dynamic, std::span<const PartitionSize> partitions);
// Bytes of header and table.
inline size_t OmPrefixBytes(size_t partitions) { return kOmHeaderBytes + 8 + 24 * partitions; }

struct Partition {
  uint32_t type;
  size_t offset;  // in the file
  size_t size;
};

// What an om of any maker holds; of a file with several models, the first one.
struct OmContainer {
  std::string name;
  uint32_t version = 0;
  bool dynamic = false;
  OmChecksums checksums;
  std::vector<Partition> partitions;
  size_t end = 0;  // of the first model's partitions

  const Partition* Find(PartitionType type) const;
};

// Reads header and table, the older 32-bit table too. Everything is checked against the size of the file. Throws Error
// E10041 (parameter: the file; reason: byte offset, what was found and what was expected).
OmContainer ParseContainer(std::span<const std::byte> file, const std::string& path);

// E10041 for a fault at `offset`.
Error DamagedOm(const std::string& path, size_t offset, const std::string& what);

}  // namespace atc
