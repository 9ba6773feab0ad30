#include "parsers/onnx/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "compiler/ir/error.h"

namespace atc::onnx_parser {
namespace {

// Protobuf's own limit for nested messages.
constexpr int kMaxDepth = 100;

enum Kind : uint8_t {
  kOpaque,
  kModel,
  kGraph,
  kNode,
  kAttribute,
  kTensor,
  kSparse,
  kFunction,
  kSequence,
  kOptional,
  kDrop,
  kPayload,
  kRefuse
};

// What becomes of a field; fields that are not listed are copied as they are.
struct Rule {
  Kind message;
  int field;
  Kind action;
};

constexpr Rule kRules[] = {
    {kModel, 6, kDrop},           // doc_string
    {kModel, 7, kGraph},          // graph
    {kModel, 20, kDrop},          // training_info
    {kModel, 25, kFunction},      // functions
    {kGraph, 1, kNode},           // node
    {kGraph, 5, kTensor},         // initializer
    {kGraph, 10, kDrop},          // doc_string
    {kGraph, 15, kSparse},        // sparse_initializer
    {kNode, 5, kAttribute},       // attribute
    {kNode, 6, kDrop},            // doc_string
    {kAttribute, 5, kTensor},     // t
    {kAttribute, 6, kGraph},      // g
    {kAttribute, 10, kTensor},    // tensors
    {kAttribute, 11, kGraph},     // graphs
    {kAttribute, 13, kDrop},      // doc_string
    {kAttribute, 22, kSparse},    // sparse_tensor
    {kAttribute, 23, kSparse},    // sparse_tensors
    {kTensor, 3, kRefuse},        // segment
    {kTensor, 4, kPayload},       // float_data
    {kTensor, 5, kPayload},       // int32_data
    {kTensor, 6, kPayload},       // string_data
    {kTensor, 7, kPayload},       // int64_data
    {kTensor, 9, kPayload},       // raw_data
    {kTensor, 10, kPayload},      // double_data
    {kTensor, 11, kPayload},      // uint64_data
    {kTensor, 12, kDrop},         // doc_string
    {kSparse, 1, kTensor},        // values
    {kSparse, 2, kTensor},        // indices
    {kFunction, 7, kNode},        // node
    {kFunction, 8, kDrop},        // doc_string
    {kFunction, 11, kAttribute},  // attribute_proto
    {kSequence, 3, kTensor},      // tensor_values
    {kSequence, 4, kSparse},      // sparse_tensor_values
    {kSequence, 5, kSequence},    // sequence_values
    {kSequence, 7, kOptional},    // optional_values
    {kOptional, 3, kTensor},      // tensor_value
    {kOptional, 4, kSparse},      // sparse_tensor_value
    {kOptional, 5, kSequence},    // sequence_value
    {kOptional, 7, kOptional},    // optional_value
};

Kind Action(Kind message, int field) {
  for (const Rule& rule : kRules) {
    if (rule.message == message && rule.field == field) return rule.action;
  }
  return kOpaque;
}

constexpr int kRawData = 9;
constexpr int kStringData = 6;

// The wire type of a data field's single values; lists may be packed instead.
constexpr int SingleWireType(int field) {
  return field == 4 ? kFixed32 : field == 10 ? kFixed64 : field == kRawData || field == kStringData ? kBytes : kVarint;
}

void AppendVarint(std::string* out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>((value & 0x7F) | 0x80));
  out->push_back(static_cast<char>(value));
}

class Scanner {
 public:
  explicit Scanner(const ModelFile& file) : file_(file) {}

  void Rewrite(Kind kind, uint64_t begin, uint64_t end, int depth, std::string* out) {
    WireReader reader(file_, begin, end);
    if (depth > kMaxDepth) reader.Fail(begin, fmt::format("messages are nested more than {} deep", kMaxDepth));
    TensorPayload payload;
    while (!reader.done()) {
      const uint64_t start = reader.offset();
      int field = 0;
      int wire_type = 0;
      reader.Tag(&field, &wire_type);
      const Kind action = Action(kind, field);
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
        default: reader.Fail(start, fmt::format("wire type {} of field {} is none that ONNX uses", wire_type, field));
      }
      if (action == kDrop) continue;
      if (action == kRefuse)
        reader.Fail(start, "a tensor is stored in parts (TensorProto.segment), which is not supported");
      if (action == kPayload) {
        if (wire_type != kBytes && wire_type != SingleWireType(field)) {
          reader.Fail(start, fmt::format("tensor data in field {} have wire type {}", field, wire_type));
        }
        AddPayload(&payload, field, wire_type, start, body, size, reader.offset());
        continue;
      }
      if (action == kOpaque) {
        out->append(reinterpret_cast<const char*>(file_.data()) + start, reader.offset() - start);
        continue;
      }
      if (wire_type != kBytes) reader.Fail(start, fmt::format("field {} should be a message", field));
      std::string child;
      Rewrite(action, body, body + size, depth + 1, &child);
      AppendVarint(out, static_cast<uint64_t>(field) << 3 | kBytes);
      AppendVarint(out, child.size());
      out->append(child);
    }
    if (kind == kTensor) {
      std::string number = "\x08";  // Segment.begin
      AppendVarint(&number, payloads_.size());
      out->push_back('\x1A');  // TensorProto.segment
      AppendVarint(out, number.size());
      out->append(number);
      payloads_.push_back(std::move(payload));
    }
  }

  std::vector<TensorPayload> TakePayloads() { return std::move(payloads_); }

 private:
  static void AddPayload(TensorPayload* payload, int number, int wire_type, uint64_t start, uint64_t body,
                         uint64_t size, uint64_t end) {
    const bool packed = wire_type == kBytes && number != kStringData;
    if (packed && size == 0) return;
    auto field = std::find_if(payload->fields.begin(), payload->fields.end(),
                              [&](const TensorPayload::Field& f) { return f.number == number; });
    if (field == payload->fields.end()) field = payload->fields.insert(field, {number, {}});
    // raw_data is a single value, not a list: the last one holds, as protobuf has it.
    if (number == kRawData) field->segments.clear();
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
  std::vector<TensorPayload> payloads_;
};

constexpr Kind KindOf(Message message) {
  switch (message) {
    case Message::kTensor: return kTensor;
    case Message::kSequence: return kSequence;
    case Message::kOptional: return kOptional;
    case Message::kModel: break;
  }
  return kModel;
}

// A hint at what a file is that is no protobuf message; empty when there is none.
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

}  // namespace

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

ScannedFile Scan(const ModelFile& file, Message message) {
  ScannedFile scanned;
  Scanner scanner(file);
  try {
    scanner.Rewrite(KindOf(message), 0, file.size(), 1, &scanned.skeleton);
  } catch (const Error& error) {
    const std::string what = WhatElse({reinterpret_cast<const char*>(file.data()), file.size()});
    if (what.empty()) throw;
    throw Error("E13005", {{"file", file.path()}, {"reason", what}});
  }
  scanned.payloads = scanner.TakePayloads();
  return scanned;
}

}  // namespace atc::onnx_parser
