#include "compiler/io/reflect_json.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/strutil.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/io/utf8.h"

namespace atc {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kMaxDepth = 20;

class JsonWriter {
 public:
  JsonWriter(const JsonStyle& style, ByteSink& out) : style_(style), out_(out) {}
  ~JsonWriter() = default;

  void Object(const Message& message, int depth) {
    bool first = true;
    ++indent_;
    for (const FieldDescriptor* field : Fields(message)) {
      if (!IsShown(message, field, depth)) continue;
      text_ += first ? "{\n" : ",\n";
      first = false;
      Indent();
      Quote(field->name());
      text_ += ": ";
      if (field->is_map()) {
        Map(message, field, depth);
      } else if (field->is_repeated()) {
        List(message, field, depth);
      } else if (field->message_type() != nullptr) {
        Object(message.GetReflection()->GetMessage(message, field), depth + 1);
      } else {
        Scalar(message, field);
      }
    }
    --indent_;
    if (first) {
      text_ += "{}";
    } else {
      text_ += '\n';
      Indent();
      text_ += '}';
    }
  }

  void Flush() {
    out_.Write(text_);
    text_.clear();
  }

 private:
  static std::vector<const FieldDescriptor*> Fields(const Message& message) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    std::sort(fields.begin(), fields.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
    return fields;
  }

  bool IsShown(const Message& message, const FieldDescriptor* field, int depth) const {
    if (std::binary_search(style_.dropped.begin(), style_.dropped.end(), std::string_view(field->name()))) return false;
    if (field->message_type() == nullptr) return true;
    if (depth >= kMaxDepth) return false;
    return field->is_repeated() || message.GetReflection()->GetMessage(message, field).ByteSizeLong() > 0;
  }

  void Items(int count, auto&& item) {
    text_ += '[';
    ++indent_;
    for (int i = 0; i < count; ++i) {
      text_ += i == 0 ? "\n" : ",\n";
      Indent();
      item(i);
      if (text_.size() > (1 << 16)) Flush();
    }
    --indent_;
    text_ += '\n';
    Indent();
    text_ += ']';
  }

  void List(const Message& message, const FieldDescriptor* field, int depth) {
    const Reflection& reflection = *message.GetReflection();
    Items(reflection.FieldSize(message, field), [&](int i) {
      if (field->message_type() != nullptr) {
        Object(reflection.GetRepeatedMessage(message, field, i), depth + 1);
      } else {
        RepeatedScalar(message, field, i);
      }
    });
  }

  // A map's entries have no order of their own.
  void Map(const Message& message, const FieldDescriptor* field, int depth) {
    const Reflection& reflection = *message.GetReflection();
    const FieldDescriptor* key = field->message_type()->map_key();
    std::vector<const Message*> entries;
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      entries.push_back(&reflection.GetRepeatedMessage(message, field, i));
    }
    if (key->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      std::sort(entries.begin(), entries.end(), [&](const Message* a, const Message* b) {
        return a->GetReflection()->GetString(*a, key) < b->GetReflection()->GetString(*b, key);
      });
    }
    Items(static_cast<int>(entries.size()), [&](int i) { Object(*entries[i], depth + 1); });
  }

  void Scalar(const Message& message, const FieldDescriptor* field) {
    const Reflection& reflection = *message.GetReflection();
    std::string scratch;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL: Append(reflection.GetBool(message, field)); break;
      case FieldDescriptor::CPPTYPE_INT32: Append(reflection.GetInt32(message, field)); break;
      case FieldDescriptor::CPPTYPE_INT64: Append(reflection.GetInt64(message, field)); break;
      case FieldDescriptor::CPPTYPE_UINT32: Append(reflection.GetUInt32(message, field)); break;
      case FieldDescriptor::CPPTYPE_UINT64: Append(reflection.GetUInt64(message, field)); break;
      case FieldDescriptor::CPPTYPE_FLOAT: Quote(fmt::format("{:g}", reflection.GetFloat(message, field))); break;
      case FieldDescriptor::CPPTYPE_DOUBLE: Quote(fmt::format("{:g}", reflection.GetDouble(message, field))); break;
      case FieldDescriptor::CPPTYPE_ENUM: Enum(field, reflection.GetEnumValue(message, field)); break;
      case FieldDescriptor::CPPTYPE_STRING: {
        const std::string& value = reflection.GetStringReference(message, field, &scratch);
        Quote(field->type() == FieldDescriptor::TYPE_BYTES ? google::protobuf::CEscape(value) : value);
        break;
      }
      case FieldDescriptor::CPPTYPE_MESSAGE: break;
    }
  }

  void RepeatedScalar(const Message& message, const FieldDescriptor* field, int i) {
    const Reflection& reflection = *message.GetReflection();
    std::string scratch;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL: Append(reflection.GetRepeatedBool(message, field, i)); break;
      case FieldDescriptor::CPPTYPE_INT32: Append(reflection.GetRepeatedInt32(message, field, i)); break;
      case FieldDescriptor::CPPTYPE_INT64: Append(reflection.GetRepeatedInt64(message, field, i)); break;
      case FieldDescriptor::CPPTYPE_UINT32: Append(reflection.GetRepeatedUInt32(message, field, i)); break;
      case FieldDescriptor::CPPTYPE_UINT64: Append(reflection.GetRepeatedUInt64(message, field, i)); break;
      case FieldDescriptor::CPPTYPE_FLOAT: Number(reflection.GetRepeatedFloat(message, field, i)); break;
      case FieldDescriptor::CPPTYPE_DOUBLE: Number(reflection.GetRepeatedDouble(message, field, i)); break;
      case FieldDescriptor::CPPTYPE_ENUM: Enum(field, reflection.GetRepeatedEnumValue(message, field, i)); break;
      case FieldDescriptor::CPPTYPE_STRING:
        Quote(reflection.GetRepeatedStringReference(message, field, i, &scratch));
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE: break;
    }
  }

  void Enum(const FieldDescriptor* field, int number) {
    const auto* value = style_.enum_names ? field->enum_type()->FindValueByNumber(number) : nullptr;
    if (value != nullptr) {
      Quote(value->name());
    } else {
      Append(number);
    }
  }

  void Append(auto value) { fmt::format_to(std::back_inserter(text_), "{}", value); }

  // JSON has no word for what is not finite.
  void Number(double value) {
    if (std::isfinite(value)) {
      Append(value);
    } else {
      text_ += "null";
    }
  }

  void Indent() { text_.append(2 * indent_, ' '); }

  void Quote(std::string_view text) {
    text_ += '"';
    while (!text.empty()) {
      const size_t length = Utf8Length(text);
      if (length == 1) {
        Character(text[0]);
      } else {
        text_ += text.substr(0, length);
      }
      text.remove_prefix(std::max<size_t>(length, 1));
    }
    text_ += '"';
  }

  void Character(char c) {
    switch (c) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '\b': text_ += "\\b"; break;
      case '\f': text_ += "\\f"; break;
      case '\n': text_ += "\\n"; break;
      case '\r': text_ += "\\r"; break;
      case '\t': text_ += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
          text_ += c;
        }
    }
  }

  const JsonStyle& style_;
  ByteSink& out_;
  std::string text_;
  size_t indent_ = 0;
};

}  // namespace

void WriteJson(const Message& message, const JsonStyle& style, ByteSink& out) {
  JsonWriter writer(style, out);
  writer.Object(message, 0);
  writer.Flush();
  out.Write("\n");
}

}  // namespace atc
