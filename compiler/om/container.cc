#include "compiler/om/container.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/io/utf8.h"

namespace atc {
namespace {

constexpr std::string_view kMagic = "IMOD";

// Places of the header's fields, in bytes from its start.
constexpr size_t kHeadSize = 4;
constexpr size_t kVersion = 8;
constexpr size_t kLength = 76;
constexpr size_t kIsEncrypted = 80;
constexpr size_t kIsChecksum = 81;
constexpr size_t kName = 84;
constexpr size_t kNameBytes = 32;
constexpr size_t kIrVersion = 152;
constexpr size_t kModelNum = 156;
constexpr size_t kModelLength = 184;
constexpr size_t kIsUnknownModel = 193;

constexpr size_t kWideHead = 8;
constexpr size_t kWideEntry = 24;
constexpr size_t kNarrowHead = 4;
constexpr size_t kNarrowEntry = 12;
constexpr uint32_t kMaxPartitions = 32;
constexpr uint32_t kMaxHeaderBytes = 64 << 10;
constexpr std::string_view kZipMagic = "PK\x03\x04";

template <typename T>
void Put(T value, size_t at, std::string* to) {
  for (size_t i = 0; i < sizeof(T); ++i) (*to)[at + i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
}

template <typename T>
T Get(std::span<const std::byte> from, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= std::to_integer<uint64_t>(from[at + i]) << (8 * i);
  return static_cast<T>(value);
}

// As much of the name as fits, whole characters only.
std::string_view HeaderName(std::string_view name) {
  size_t length = 0;
  while (length < name.size()) {
    const size_t next = std::max<size_t>(Utf8Length(name.substr(length)), 1);
    if (length + next > kNameBytes - 1) break;
    length += next;
  }
  return name.substr(0, length);
}

}  // namespace

Error DamagedOm(const std::string& path, size_t offset, const std::string& what) {
  return Error("E10041", {{"parameter", path}, {"reason", fmt::format("at byte {}: {}", offset, what)}});
}

std::string OmPrefix(std::string_view model_name, bool dynamic, std::span<const PartitionSize> partitions) {
  std::string bytes(OmPrefixBytes(partitions.size()), '\0');
  uint64_t payload = bytes.size() - kOmHeaderBytes;
  for (const PartitionSize& partition : partitions) payload += partition.size;

  bytes.replace(0, kMagic.size(), kMagic);
  Put<uint32_t>(kOmHeaderBytes, kHeadSize, &bytes);
  Put<uint32_t>(kOmVersion, kVersion, &bytes);
  Put<uint32_t>(static_cast<uint32_t>(payload), kLength, &bytes);
  bytes[kIsChecksum] = 1;  // "unchecked", to whoever else reads it
  const std::string_view name = HeaderName(model_name);
  bytes.replace(kName, name.size(), name);
  Put<uint32_t>(kOmProtoVersion, kIrVersion, &bytes);
  Put<uint32_t>(1, kModelNum, &bytes);
  Put<uint64_t>(payload, kModelLength, &bytes);
  bytes[kIsUnknownModel] = dynamic ? 1 : 0;

  size_t at = kOmHeaderBytes;
  Put<uint32_t>(static_cast<uint32_t>(partitions.size()), at, &bytes);
  at += kWideHead;
  uint64_t offset = 0;
  for (const PartitionSize& partition : partitions) {
    Put<uint32_t>(static_cast<uint32_t>(partition.type), at, &bytes);
    Put<uint64_t>(offset, at + 8, &bytes);
    Put<uint64_t>(partition.size, at + 16, &bytes);
    offset += partition.size;
    at += kWideEntry;
  }
  return bytes;
}

void SetChecksums(const OmChecksums& checksums, std::string* prefix) {
  Put<uint64_t>(checksums.graph, kChecksumOffset, prefix);
  Put<uint64_t>(checksums.weights, kChecksumOffset + sizeof(uint64_t), prefix);
}

const Partition* OmContainer::Find(PartitionType type) const {
  for (const Partition& partition : partitions) {
    if (partition.type == static_cast<uint32_t>(type)) return &partition;
  }
  return nullptr;
}

OmContainer ParseContainer(std::span<const std::byte> file, const std::string& path) {
  const auto* text = reinterpret_cast<const char*>(file.data());
  if (std::string_view(text, std::min(file.size(), kZipMagic.size())) == kZipMagic) {
    throw DamagedOm(path, 0, "an OM2 package (a zip archive), which is for the vendor's tools; expected an om");
  }
  if (file.size() < kOmHeaderBytes) {
    throw DamagedOm(path, file.size(),
                    fmt::format("the file ends; an om begins with a header of {} bytes", kOmHeaderBytes));
  }
  if (std::string_view(text, kMagic.size()) != kMagic) throw DamagedOm(path, 0, "not 'IMOD': the file is no om");
  const uint32_t head_size = Get<uint32_t>(file, kHeadSize);
  // A header may have grown; what this one has stands where it always did.
  if (head_size < kOmHeaderBytes || head_size > kMaxHeaderBytes || head_size > file.size()) {
    throw DamagedOm(path, kHeadSize,
                    fmt::format("a header of {} bytes; expected {} or some more, within the file", head_size, kOmHeaderBytes));
  }
  if (file[kIsEncrypted] != std::byte{0})
    throw DamagedOm(path, kIsEncrypted, "the model is encrypted; expected a plain one");

  OmContainer om;
  om.version = Get<uint32_t>(file, kVersion);
  om.checksums = {Get<uint64_t>(file, kChecksumOffset), Get<uint64_t>(file, kChecksumOffset + sizeof(uint64_t))};
  const char* name = text + kName;
  om.name = EscapeInvalidUtf8({name, static_cast<size_t>(std::find(name, name + kNameBytes, '\0') - name)});
  const bool current = om.version >= kOmVersion;
  om.dynamic = current && (Get<uint32_t>(file, kModelNum) > 1 || file[kIsUnknownModel] == std::byte{1});

  const uint64_t payload = file.size() - head_size;
  const uint64_t long_length = Get<uint64_t>(file, kModelLength);
  const bool wide = long_length != 0;
  const uint64_t length = wide ? long_length : Get<uint32_t>(file, kLength);
  if (length != payload) {
    throw DamagedOm(path, wide ? kModelLength : kLength,
                    fmt::format("the header tells of {} bytes after it, the file has {}", length, payload));
  }

  const size_t head = wide ? kWideHead : kNarrowHead;
  const size_t entry = wide ? kWideEntry : kNarrowEntry;
  size_t at = head_size;
  if (payload < head) throw DamagedOm(path, file.size(), "the file ends; expected the partition table");
  const uint32_t count = Get<uint32_t>(file, at);
  if (count == 0 || count > kMaxPartitions || payload - head < count * entry) {
    throw DamagedOm(path, at,
                    fmt::format("a table of {} partitions; expected 1 to {}, within the file", count, kMaxPartitions));
  }
  at += head;
  size_t offset = at + count * entry;
  for (uint32_t i = 0; i < count; ++i, at += entry) {
    const uint64_t size = wide ? Get<uint64_t>(file, at + 16) : Get<uint32_t>(file, at + 8);
    if (size > file.size() - offset) {
      throw DamagedOm(path, at,
                      fmt::format("partition {} has {} bytes, the file has {} from byte {} on", i, size,
                                  file.size() - offset, offset));
    }
    om.partitions.push_back({Get<uint32_t>(file, at), offset, static_cast<size_t>(size)});
    offset += size;
  }
  om.end = offset;
  return om;
}

}  // namespace atc
