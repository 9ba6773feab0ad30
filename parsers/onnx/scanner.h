// Reads the protobuf wire format of an ONNX file and takes the tensor data out of it: what is left, the skeleton, is
// small and goes through protobuf; the data stay where they are, in the mapped file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parsers/model_file.h"

namespace atc::onnx_parser {

// Bytes of the file.
struct Segment {
  uint64_t offset = 0;
  uint64_t size = 0;
  bool packed = true;  // false: whole fields with their tags, one after another (unpacked numbers, strings)
};

// Data fields of one TensorProto that are not empty, by field number, in order of first appearance.
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

enum class Message : uint8_t { kModel, kTensor, kSequence, kOptional };

struct ScannedFile {
  // The message without tensor data and documentation. Every TensorProto in it, at any depth, has `segment.begin` set to
  // its number in `payloads` (the format's own use of that field, tensors in parts, is refused).
  std::string skeleton;
  std::vector<TensorPayload> payloads;
};

// Errors: E13005 naming file, byte offset and what is wrong there; text files and Git LFS pointers are told as such.
ScannedFile Scan(const ModelFile& file, Message message);

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

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

}  // namespace atc::onnx_parser
