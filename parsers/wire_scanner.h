// Reads the protobuf wire format of a model and takes the tensor data out of it: what is left, the skeleton, is small and
// goes through protobuf; the data stay where they are, in the mapped file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/model_file.h"

namespace atc {

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Bytes of the file.
struct Segment {
  uint64_t offset = 0;
  uint64_t size = 0;
  bool packed = true;  // false: whole fields with their tags, one after another (unpacked numbers, strings)
};

// Data fields of one tensor message that are not empty, by field number, in order of first appearance.
struct TensorPayload {
  struct Field {
    int number = 0;
    std::vector<Segment> segments;
  };
  std::vector<Field> fields;

  const Field* Find(int number) const {
    for (const Field& field : fields) {
      if (field.number == number) return &field;
    }
    return nullptr;
  }
};

// What becomes of a field of a message; fields that no rule names are copied as they are.
enum class Take : uint8_t {
  kCopy,
  kDrop,
  kRefuse,   // the file cannot be read
  kMessage,  // scanned as the message kind `detail`
  kNumbers,  // data: numbers, packed or single ones of wire type `detail`
  kRaw,      // data: bytes, of which the last field holds
  kStrings,  // data: a list of strings
};

struct ScanRule {
  uint8_t message;  // a number that the format gives the kind of message
  int field;
  Take take;
  uint8_t detail = 0;
};

struct ScanFormat {
  std::span<const ScanRule> rules;
  uint8_t tensor;  // the kind of message whose data are taken out
  // Appends a field that holds the number of the tensor's data in `payloads` to the tensor message.
  void (*mark)(std::string* message, uint64_t number);
  std::string_view refusal;  // what a kRefuse field means
};

struct ScannedFile {
  std::string skeleton;  // the message without tensor data and documentation
  std::vector<TensorPayload> payloads;
};

// Scans the file as a message of kind `root`. Errors: E13005 naming file, byte offset and what is wrong there; text
// files, archives and Git LFS pointers are told as such.
ScannedFile ScanFile(const ModelFile& file, const ScanFormat& format, uint8_t root);

void AppendVarint(std::string* out, uint64_t value);

// What a file is that is no protobuf message ("it is a zip archive"); empty when nothing is recognised.
std::string WhatElse(std::string_view bytes);

// Position in wire format; throws E13005 rather than read past `end`.
class WireReader {
 public:
  WireReader(const ModelFile& file, uint64_t begin, uint64_t end) : file_(file), at_(begin), end_(end) {}

  bool done() const { return at_ == end_; }
  uint64_t offset() const { return at_; }
  uint64_t Varint();
  // The tag's field number and wire type.
  void Tag(int* field, int* wire_type);
  // Length of a length-delimited field, checked against the end.
  uint64_t Length();
  void Skip(uint64_t bytes);
  [[noreturn]] void Fail(uint64_t offset, const std::string& what) const;

 private:
  const ModelFile& file_;
  uint64_t at_;
  uint64_t end_;
};

}  // namespace atc
