#include "parsers/tensorflow/table_file.h"

#include <cstring>
#include <string_view>

#include "compiler/ir/error.h"

namespace atc::tf_parser {
namespace {

constexpr size_t kFooterBytes = 48;
constexpr size_t kTrailerBytes = 5;  // kind of compression, checksum
constexpr std::string_view kMagic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
constexpr uint64_t kMostBytes = uint64_t{1} << 32;  // of a block when it is decompressed

[[noreturn]] void Fail(const ModelFile& file, const std::string& reason) {
  throw Error("E13005", {{"file", file.path()}, {"reason", "the index of the checkpoint is damaged: " + reason}},
              "Save the model anew.");
}

// Reads from the front of a block.
class Cursor {
 public:
  Cursor(const ModelFile& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  bool done() const { return bytes_.empty(); }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[0]);
      bytes_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    Fail(file_, "a number does not end");
  }
  std::string_view Take(uint64_t count) {
    if (count > bytes_.size()) Fail(file_, "a block ends too soon");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  uint64_t Little(size_t count) {
    uint64_t value = 0;
    const std::string_view taken = Take(count);
    std::memcpy(&value, taken.data(), count);
    return value;
  }

 private:
  const ModelFile& file_;
  std::string_view bytes_;
};

// Snappy's format: a length, then literals and copies of what was written before.
std::string Decompress(const ModelFile& file, std::string_view bytes) {
  Cursor in(file, bytes);
  const uint64_t size = in.Varint();
  if (size > kMostBytes) Fail(file, "a block is too large");
  std::string out;
  while (!in.done()) {
    const uint64_t tag = in.Little(1);
    if ((tag & 3) == 0) {
      uint64_t length = tag >> 2;
      if (length >= 60) length = in.Little(length - 59);
      out.append(in.Take(length + 1));
    } else {
      uint64_t length = (tag >> 2) + 1, offset = 0;
      if ((tag & 3) == 1) {
        length = (tag >> 2 & 7) + 4;
        offset = (tag >> 5) << 8 | in.Little(1);
      } else {
        offset = in.Little((tag & 3) == 2 ? 2 : 4);
      }
      if (offset == 0 || offset > out.size()) Fail(file, "a compressed block copies what is not there");
      for (uint64_t i = 0; i < length; ++i) out.push_back(out[out.size() - offset]);
    }
    if (out.size() > size) Fail(file, "a compressed block is longer than it says");
  }
  if (out.size() != size) Fail(file, "a compressed block is shorter than it says");
  return out;
}

std::string ReadBlock(const ModelFile& file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || size > file.size() - offset || kTrailerBytes > file.size() - offset - size) {
    Fail(file, "a block lies outside of the file");
  }
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()) + offset, size + kTrailerBytes);
  switch (bytes[size]) {
    case 0: return std::string(bytes.substr(0, size));
    case 1: return Decompress(file, bytes.substr(0, size));
    default: Fail(file, "a block is compressed in a way that is not known");
  }
}

// Keys share their beginnings with the one before; the restart points at the end are for searching.
std::map<std::string, std::string> ReadEntries(const ModelFile& file, const std::string& block) {
  if (block.size() < 4) Fail(file, "a block is empty");
  uint32_t restarts = 0;
  std::memcpy(&restarts, block.data() + block.size() - 4, 4);
  const uint64_t tail = 4 + uint64_t{restarts} * 4;
  if (tail > block.size()) Fail(file, "a block has more restart points than bytes");
  Cursor in(file, std::string_view(block).substr(0, block.size() - tail));
  std::map<std::string, std::string> entries;
  std::string key;
  while (!in.done()) {
    const uint64_t shared = in.Varint(), rest = in.Varint(), length = in.Varint();
    if (shared > key.size()) Fail(file, "a key shares more than there is");
    key.resize(shared);
    key.append(in.Take(rest));
    entries[key] = in.Take(length);
  }
  return entries;
}

}  // namespace

std::map<std::string, std::string> ReadTable(const ModelFile& file) {
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (bytes.size() < kFooterBytes || !bytes.ends_with(kMagic)) Fail(file, "it does not end as tables do");
  Cursor footer(file, bytes.substr(bytes.size() - kFooterBytes));
  footer.Varint();  // a block about blocks, which is not needed
  footer.Varint();
  const uint64_t offset = footer.Varint(), size = footer.Varint();
  std::map<std::string, std::string> entries;
  for (const auto& [last_key, handle] : ReadEntries(file, ReadBlock(file, offset, size))) {
    Cursor place(file, handle);
    const uint64_t block_offset = place.Varint(), block_size = place.Varint();
    entries.merge(ReadEntries(file, ReadBlock(file, block_offset, block_size)));
  }
  return entries;
}

}  // namespace atc::tf_parser
