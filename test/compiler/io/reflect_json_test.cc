#include "compiler/io/reflect_json.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/wrappers.pb.h>

#include <catch2/catch.hpp>

namespace atc {
namespace {

std::string Json(const google::protobuf::Message& message, const JsonStyle& style = {}) {
  StringSink out;
  WriteJson(message, style, out);
  return out.text;
}

TEST_CASE("messages become objects with sorted keys, repeated fields arrays, enums names") {
  google::protobuf::DescriptorProto message;
  message.set_name("M\"\n\x01\xff\xc3\xa9");
  auto& field = *message.add_field();
  field.set_number(3);
  field.set_type(google::protobuf::FieldDescriptorProto::TYPE_BOOL);
  message.add_field();
  message.mutable_options();  // empty: left out
  message.add_reserved_name(std::string("r"));
  CHECK(Json(message) == R"({
  "field": [
    {
      "number": 3,
      "type": "TYPE_BOOL"
    },
    {}
  ],
  "name": "M\"\n\u0001)"
                         "\xc3\xa9"
                         R"(",
  "reserved_name": [
    "r"
  ]
}
)");
  JsonStyle style;
  style.enum_names = false;
  style.dropped = {"name", "reserved_name"};
  CHECK(Json(message, style) == R"({
  "field": [
    {
      "number": 3,
      "type": 8
    },
    {}
  ]
}
)");
}

TEST_CASE("maps are arrays of keys and values, sorted; members of a oneof show their default") {
  google::protobuf::Struct message;
  (*message.mutable_fields())["b"].set_bool_value(false);
  (*message.mutable_fields())["a"].set_number_value(0.1);
  CHECK(Json(message) == R"({
  "fields": [
    {
      "key": "a",
      "value": {
        "number_value": "0.1"
      }
    },
    {
      "key": "b",
      "value": {
        "bool_value": false
      }
    }
  ]
}
)");
}

TEST_CASE("bytes are C-escaped, floats rounded to six digits") {
  google::protobuf::BytesValue bytes;
  bytes.set_value(std::string("\0a\xff", 3));
  CHECK(Json(bytes) == "{\n  \"value\": \"\\\\000a\\\\377\"\n}\n");
  google::protobuf::FloatValue number;
  number.set_value(1.0f / 3);
  CHECK(Json(number) == "{\n  \"value\": \"0.333333\"\n}\n");
  CHECK(Json(google::protobuf::FloatValue()) == "{}\n");
}

TEST_CASE("messages nested too deeply are left out") {
  google::protobuf::Struct message;
  google::protobuf::Value* value = &(*message.mutable_fields())["k"];
  for (int i = 0; i < 1000; ++i) value = value->mutable_list_value()->add_values();
  value->set_bool_value(true);
  CHECK(Json(message).size() < 10000);
}

}  // namespace
}  // namespace atc
