#include "compiler/om/needed_fields.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_graph.h"

namespace atc {
namespace {

namespace pb = openatc::ge;

enum class Keep { kNot, kEmpty, kInside, kIfNamed };

struct Message;

// A field of a message that is not copied as it stands: left out, left empty, copied in part, or an entry of a map that is
// left out where its key is in `unread`.
struct Field {
  int number;
  Keep keep;
  const Message* inside = nullptr;
};

struct Message {
  std::span<const Field> fields;
  std::span<const std::string_view> unread;
};

constexpr std::string_view kUnreadOfDescs[] = {"format_for_int", "origin_data_type", "origin_format_for_int", "origin_shape_initialized"};
constexpr Field kDescFields[] = {
    {pb::TensorDescriptor::kNameFieldNumber, Keep::kNot},
    {pb::TensorDescriptor::kAttrFieldNumber, Keep::kIfNamed},
    {pb::TensorDescriptor::kDeviceTypeFieldNumber, Keep::kNot},
};
constexpr Message kDesc{kDescFields, kUnreadOfDescs};

constexpr std::string_view kUnreadOfOps[] = {
    "_input_name_key",   "_input_name_value", "_ir_attr_names", "_ir_inputs_key",   "_ir_inputs_value",
    "_ir_outputs_key",   "_ir_outputs_value", "_opt_input",     "_output_name_key", "_output_name_value",
    kReasonsAttr,
};
constexpr Field kOpFields[] = {
    {pb::OpDef::kAttrFieldNumber, Keep::kIfNamed},
    {pb::OpDef::kDstIndexFieldNumber, Keep::kNot},
    {pb::OpDef::kDstNameFieldNumber, Keep::kNot},
    {pb::OpDef::kInputDescFieldNumber, Keep::kEmpty},
    {pb::OpDef::kInputIFieldNumber, Keep::kNot},
    {pb::OpDef::kInputNameFieldNumber, Keep::kNot},
    {pb::OpDef::kIsInputConstFieldNumber, Keep::kNot},
    {pb::OpDef::kOutputDescFieldNumber, Keep::kInside, &kDesc},
    {pb::OpDef::kSrcIndexFieldNumber, Keep::kNot},
    {pb::OpDef::kSrcNameFieldNumber, Keep::kNot},
};
// With the reasons, which stand last, and without.
constexpr Message kOps[] = {{kOpFields, kUnreadOfOps}, {kOpFields, std::span(kUnreadOfOps).first(std::size(kUnreadOfOps) - 1)}};
constexpr Field kGraphFields[][1] = {{{pb::GraphDef::kOpFieldNumber, Keep::kInside, &kOps[0]}},
                                     {{pb::GraphDef::kOpFieldNumber, Keep::kInside, &kOps[1]}}};
constexpr Message kGraphs[] = {{kGraphFields[0], {}}, {kGraphFields[1], {}}};
constexpr Field kModelFields[][1] = {{{pb::ModelDef::kGraphFieldNumber, Keep::kInside, &kGraphs[0]}},
                                     {{pb::ModelDef::kGraphFieldNumber, Keep::kInside, &kGraphs[1]}}};
constexpr Message kModels[] = {{kModelFields[0], {}}, {kModelFields[1], {}}};

constexpr uint32_t kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5;  // wire types

bool TakeVarint(std::string_view* from, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < from->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*from)[i]);
    *value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) return from->remove_prefix(i + 1), true;
  }
  return false;
}

// Takes one field off the front: its tag, and where it is delimited its contents.
bool TakeField(std::string_view* from, uint64_t* tag, std::string_view* contents) {
  uint64_t number;
  if (!TakeVarint(from, tag)) return false;
  size_t width = 0;
  switch (*tag & 7) {
    case kVarint: return TakeVarint(from, &number);
    case kFixed64: width = 8; break;
    case kFixed32: width = 4; break;
    case kDelimited:
      if (!TakeVarint(from, &number) || number > from->size()) return false;
      *contents = from->substr(0, number);
      width = number;
      break;
    default: return false;
  }
  if (width > from->size()) return false;
  from->remove_prefix(width);
  return true;
}

// The key of a map's entry; nothing where it is missing or not first, as no writer has it.
std::string_view KeyOf(std::string_view entry) {
  uint64_t tag;
  std::string_view key;
  return TakeField(&entry, &tag, &key) && tag == (1 << 3 | kDelimited) ? key : std::string_view();
}

class Copier {
 public:
  // False where `from` is no message.
  bool Copy(std::string_view from, const Message& message) {
    while (!from.empty()) {
      const std::string_view whole = from;
      uint64_t tag;
      std::string_view contents;
      if (!TakeField(&from, &tag, &contents)) return false;
      const std::string_view field = whole.substr(0, whole.size() - from.size());
      const auto number = static_cast<int64_t>(tag >> 3);
      const auto row = std::find_if(message.fields.begin(), message.fields.end(), [&](const Field& f) { return f.number == number; });
      const bool as_it_is = row == message.fields.end() || (tag & 7) != kDelimited;
      if (as_it_is && row != message.fields.end() && row->keep == Keep::kNot) continue;
      if (as_it_is) {
        bytes_.append(field);
        continue;
      }
      switch (row->keep) {
        case Keep::kNot: break;
        case Keep::kEmpty:
          AppendTag(tag);
          bytes_.push_back('\0');
          break;
        case Keep::kIfNamed:
          if (std::find(message.unread.begin(), message.unread.end(), KeyOf(contents)) == message.unread.end()) bytes_.append(field);
          break;
        case Keep::kInside:
          if (!CopyInside(tag, contents, *row->inside)) return false;
      }
    }
    return true;
  }

  std::string bytes_;

 private:
  void AppendTag(uint64_t tag) {
    for (; tag >= 0x80; tag >>= 7) bytes_.push_back(static_cast<char>(tag | 0x80));
    bytes_.push_back(static_cast<char>(tag));
  }

  // The length is known afterwards: it gets all five bytes that it may have.
  bool CopyInside(uint64_t tag, std::string_view contents, const Message& message) {
    constexpr size_t kLengthBytes = 5;
    AppendTag(tag);
    const size_t at = bytes_.size();
    bytes_.append(kLengthBytes, '\0');
    if (!Copy(contents, message)) return false;
    uint64_t length = bytes_.size() - at - kLengthBytes;
    for (size_t i = 0; i < kLengthBytes; ++i, length >>= 7) {
      bytes_[at + i] = static_cast<char>((length & 0x7F) | (i + 1 < kLengthBytes ? 0x80 : 0));
    }
    return true;
  }
};

}  // namespace

std::string NeededFields(std::string_view model_def, bool reasons) {
  Copier copier;
  copier.bytes_.reserve(model_def.size() / 2);
  if (!copier.Copy(model_def, kModels[reasons ? 1 : 0])) return std::string(model_def);
  return std::move(copier.bytes_);
}

}  // namespace atc
