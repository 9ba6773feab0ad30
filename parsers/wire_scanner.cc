#include "parsers/wire_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ir/error.h"

namespace atc {
namespace {

// Protobuf's own limit for nested messages.
constexpr int kMaxDepth = 100;

class Scanner {
 public:
  Scanner(const ModelFile& file, const ScanFormat& format) : file_(file), format_(format) {}

  void Rewrite(uint8_t kind, uint64_t begin, uint64_t end, int depth, std::string* out) {
    WireReader reader(file_, begin, end);
    if (depth > kMaxDepth) reader.Fail(begin, fmt::format("messages are nested more than {} deep", kMaxDepth));
    TensorPayload payload;
    while (!reader.done()) {
      const uint64_t start = reader.offset();
      int field = 0;
      int wire_type = 0;
      reader.Tag(&field, &wire_type);
      const ScanRule rule = RuleOf(kind, field);
      uint64_t body = reader.offset();
      uint64_t size = 0;
      switch (wire_type) {
        case kVarint: reader.Varint(); break;
        case kFixed64: reader.Skip(8); break;
        case kFixed32: reader.Skip(4); break;
        case kBytes:
          size = reader.Length();
          body = reader.offset();
          reader.Skip(size);
          break;
        default: reader.Fail(start, fmt::format("wire type {} of field {} is none that models use", wire_type, field));
      }
      switch (rule.take) {
        case Take::kDrop: break;
        case Take::kRefuse: reader.Fail(start, std::string(format_.refusal));
        case Take::kCopy:
          out->append(reinterpret_cast<const char*>(file_.data()) + start, reader.offset() - start);
          break;
        case Take::kMessage: {
          if (wire_type != kBytes) reader.Fail(start, fmt::format("field {} should be a message", field));
          std::string child;
          Rewrite(rule.detail, body, body + size, depth + 1, &child);
          AppendVarint(out, static_cast<uint64_t>(field) << 3 | kBytes);
          AppendVarint(out, child.size());
          out->append(child);
          break;
        }
        case Take::kNumbers:
        case Take::kRaw:
        case Take::kStrings:
          if (wire_type != kBytes && (rule.take != Take::kNumbers || wire_type != rule.detail)) {
            reader.Fail(start, fmt::format("tensor data in field {} have wire type {}", field, wire_type));
          }
          AddPayload(&payload, rule, wire_type, start, body, size, reader.offset());
      }
    }
    if (kind == format_.tensor) {
      format_.mark(out, payloads_.size());
      payloads_.push_back(std::move(payload));
    }
  }

  std::vector<TensorPayload> TakePayloads() { return std::move(payloads_); }

 private:
  ScanRule RuleOf(uint8_t message, int field) const {
    for (const ScanRule& rule : format_.rules) {
      if (rule.message == message && rule.field == field) return rule;
    }
    return {message, field, Take::kCopy};
  }

  static void AddPayload(TensorPayload* payload, const ScanRule& rule, int wire_type, uint64_t start, uint64_t body,
                         uint64_t size, uint64_t end) {
    const bool packed = wire_type == kBytes && rule.take != Take::kStrings;
    if (packed && size == 0) return;
    auto field = std::find_if(payload->fields.begin(), payload->fields.end(),
                              [&](const TensorPayload::Field& f) { return f.number == rule.field; });
    if (field == payload->fields.end()) field = payload->fields.insert(field, {rule.field, {}});
    // A single value, not a list: the last one holds, as protobuf has it.
    if (rule.take == Take::kRaw) field->segments.clear();
    if (packed) {
      field->segments.push_back({body, size, true});
    } else if (!field->segments.empty() && !field->segments.back().packed &&
               field->segments.back().offset + field->segments.back().size == start) {
      field->segments.back().size += end - start;
    } else {
      field->segments.push_back({start, end - start, false});
    }
  }

  const ModelFile& file_;
  const ScanFormat& format_;
  std::vector<TensorPayload> payloads_;
};

}  // namespace

void AppendVarint(std::string* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>((value & 0x7F) | 0x80));
  out->push_back(static_cast<char>(value));
}

std::string WhatElse(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 256);
  if (head.starts_with("version https://git-lfs"))
    return "it is a Git LFS pointer: fetch the real file with 'git lfs pull'";
  if (head.starts_with("PK\x03\x04")) return "it is a zip archive";
  if (head.starts_with("\x1F\x8B")) return "it is compressed with gzip";
  if (head.starts_with("IMOD")) return "it is an .om, converted already";
  const bool text = std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
  return text ? "it is a text file" : "";
}

void WireReader::Fail(uint64_t offset, const std::string& what) const {
  throw Error("E13005", {{"file", file_.path()}, {"reason", fmt::format("at byte {}: {}", offset, what)}});
}

uint64_t WireReader::Varint() {
  const uint64_t start = at_;
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == end_) Fail(start, "the file ends, or the message ends, inside a number");
    const auto byte = std::to_integer<uint64_t>(file_.data()[at_++]);
    if (shift < 64) value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  Fail(start, "a number is longer than 10 bytes");
}

void WireReader::Tag(int* field, int* wire_type) {
  const uint64_t start = at_;
  const uint64_t tag = Varint();
  if (tag >> 3 == 0 || tag >> 32 != 0) Fail(start, fmt::format("{} is no field tag", tag));
  *field = static_cast<int>(tag >> 3);
  *wire_type = static_cast<int>(tag & 7);
}

uint64_t WireReader::Length() {
  const uint64_t start = at_;
  const uint64_t length = Varint();
  if (length > end_ - at_) {
    Fail(start, fmt::format("a field of {} bytes does not fit into the {} bytes that are left of its message (was the "
                            "file cut?)",
                            length, end_ - at_));
  }
  return length;
}

void WireReader::Skip(uint64_t bytes) {
  if (bytes > end_ - at_) Fail(at_, fmt::format("{} bytes are wanted, {} are left", bytes, end_ - at_));
  at_ += bytes;
}

ScannedFile ScanFile(const ModelFile& file, const ScanFormat& format, uint8_t root) {
  ScannedFile scanned;
  Scanner scanner(file, format);
  try {
    scanner.Rewrite(root, 0, file.size(), 1, &scanned.skeleton);
  } catch (const Error& error) {
    const std::string what = WhatElse({reinterpret_cast<const char*>(file.data()), file.size()});
    if (what.empty()) throw;
    throw Error("E13005", {{"file", file.path()}, {"reason", what}});
  }
  scanned.payloads = scanner.TakePayloads();
  return scanned;
}

}  // namespace atc
