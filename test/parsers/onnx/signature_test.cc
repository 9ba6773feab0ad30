// The table of signatures against the schemas of the ONNX library.
#include "parsers/onnx/signature.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "parsers/onnx/attribute_words.h"
#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {
namespace {

// As the table writes types: without "tensor()", "seq:" and "opt:" for the others.
std::string Plain(std::string text) {
  std::string prefix;
  for (const auto& [longer, mark] : {std::pair{"optional(", "opt:"}, {"seq(", "seq:"}, {"tensor(", ""}}) {
    const std::string start = longer;
    if (!text.starts_with(start)) continue;
    prefix += mark;
    text = text.substr(start.size(), text.size() - start.size() - 1);
  }
  // map(int64,tensor(float)) and map(int64,float) are one type.
  if (const size_t value = text.find("tensor("); value != text.npos) {
    text.erase(text.find(')', value), 1);
    text.erase(value, std::string("tensor(").size());
  }
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return prefix + text;
}

using Parameter = onnx::OpSchema::FormalParameter;

// Versions whose types the standard corrected after that library.
const std::set<std::string> kCorrected = {"Erf 13", "GridSample 16"};

void CheckPorts(const std::vector<SignaturePort>& found, const std::vector<Parameter>& wanted, bool types_too) {
  REQUIRE(found.size() == wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    INFO("port " << i << " " << wanted[i].GetName());
    CHECK(found[i].name == wanted[i].GetName());
    const auto kind = wanted[i].GetOption() == onnx::OpSchema::Single     ? SignaturePort::kRequired
                      : wanted[i].GetOption() == onnx::OpSchema::Optional ? SignaturePort::kOptional
                                                                          : SignaturePort::kVariadic;
    CHECK(found[i].kind == kind);
    if (kind == SignaturePort::kVariadic) {
      CHECK(static_cast<int>(found[i].least) == wanted[i].GetMinArity());
      CHECK(found[i].homogeneous == wanted[i].GetIsHomogeneous());
    }
    if (!types_too) continue;
    std::set<std::string> types;
    for (const std::string* type : wanted[i].GetTypes()) types.insert(Plain(*type));
    CHECK(std::set(found[i].types.names.begin(), found[i].types.names.end()) == types);
  }
}

TEST_CASE("signatures are those of the ONNX library") {
  size_t versions = 0;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (schema.deprecated()) continue;
    ++versions;
    INFO(schema.domain() << " " << schema.Name() << " " << schema.SinceVersion());
    const Signature* found = SignatureTable::Get().Find(schema.Name(), schema.SinceVersion(), schema.domain());
    REQUIRE(found != nullptr);
    CHECK(found->since == schema.SinceVersion());
    const bool types_too = !kCorrected.contains(schema.Name() + " " + std::to_string(schema.SinceVersion()));
    CheckPorts(found->inputs, schema.inputs(), types_too);
    CheckPorts(found->outputs, schema.outputs(), types_too);
    CHECK(found->attributes.size() == schema.attributes().size());
    for (const auto& [name, attribute] : schema.attributes()) {
      INFO("attribute " << name);
      const SignatureAttribute* known = found->Attribute(name);
      REQUIRE(known != nullptr);
      CHECK(known->required == attribute.required);
      // "sparse" and "type" are short for SPARSE_TENSOR and TYPE_PROTO.
      std::string kind = onnx::AttributeProto_AttributeType_Name(attribute.type);
      std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
      CHECK(kind.starts_with(AttributeKindName(known->kind)));
    }
  }
  CHECK(versions > 400);
}

TEST_CASE("every operator of the table has a converter, and every converter a signature") {
  std::set<std::pair<std::string, std::string>> with_converter;
  for (const auto& [domain, type] : ConverterRegistry::Get().Operators()) {
    with_converter.emplace(domain, type);
    INFO(domain << " " << type);
    CHECK_FALSE(SignatureTable::Get().Versions(type, domain).empty());
  }
  for (const auto& [key, versions] : SignatureTable::Get().all()) {
    INFO(key.first << " " << key.second);
    if (key.second == "ImageDecoder") continue;  // image codecs are outside of the project
    CHECK(with_converter.contains(key));
    for (const Signature& version : versions) {
      CHECK(ConverterRegistry::Get().Find(key.second, version.since, key.first) != nullptr);
    }
  }
}

// Every word list belongs to an attribute of strings that some operator has, and lists the words once.
TEST_CASE("words of attributes belong to attributes of the table") {
  for (const AttributeWords& entry : AllAttributeWords()) {
    INFO(entry.attribute);
    bool found = false;
    for (const auto& [key, versions] : SignatureTable::Get().all()) {
      if (FindAttributeWords(key.second, entry.attribute) != &entry) continue;
      for (const Signature& version : versions) {
        const SignatureAttribute* attribute = version.Attribute(entry.attribute);
        found |= attribute != nullptr &&
                 (attribute->kind == AttributeKind::kString || attribute->kind == AttributeKind::kStrings);
      }
    }
    CHECK(found);
  }
}

}  // namespace
}  // namespace atc::onnx_parser
