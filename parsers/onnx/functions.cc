#include "parsers/onnx/functions.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>

#include "compiler/ir/error.h"

namespace atc::onnx_parser {
namespace {

// Fields that are newer than the protobuf classes of the ONNX library; they arrive as unknown ones.
constexpr int kNodeOverload = 8;
constexpr int kFunctionAttributeProto = 11;
constexpr int kFunctionOverload = 13;

template <typename Message>
std::string UnknownString(const Message& message, int number) {
  const google::protobuf::UnknownFieldSet& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField& field = unknown.field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      return field.length_delimited();
    }
  }
  return "";
}

std::string FullDomain(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

using Attributes = std::map<std::string, onnx::AttributeProto>;

Attributes AttributesFor(const onnx::NodeProto& call, const onnx::FunctionProto& function) {
  Attributes attributes;
  for (const onnx::AttributeProto& attribute : call.attribute()) attributes.emplace(attribute.name(), attribute);
  const google::protobuf::UnknownFieldSet& unknown = function.GetReflection()->GetUnknownFields(function);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField& field = unknown.field(i);
    if (field.number() != kFunctionAttributeProto ||
        field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      continue;
    }
    onnx::AttributeProto fallback;
    if (fallback.ParseFromString(field.length_delimited())) attributes.emplace(fallback.name(), fallback);
  }
  return attributes;
}

void Substitute(const Attributes& attributes, onnx::NodeProto* node);

void Substitute(const Attributes& attributes, onnx::GraphProto* graph) {
  for (onnx::NodeProto& node : *graph->mutable_node()) Substitute(attributes, &node);
}

void Substitute(const Attributes& attributes, onnx::NodeProto* node) {
  google::protobuf::RepeatedPtrField<onnx::AttributeProto> kept;
  for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
    if (attribute.ref_attr_name().empty()) {
      if (attribute.has_g()) Substitute(attributes, attribute.mutable_g());
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) Substitute(attributes, &graph);
      kept.Add()->Swap(&attribute);
      continue;
    }
    const auto given = attributes.find(attribute.ref_attr_name());
    if (given == attributes.end()) continue;
    onnx::AttributeProto* value = kept.Add();
    *value = given->second;
    value->set_name(attribute.name());
  }
  node->mutable_attribute()->Swap(&kept);
}

}  // namespace

ModelState::FunctionKey KeyOf(const onnx::NodeProto& call) {
  return {FullDomain(call.domain()), call.op_type(), UnknownString(call, kNodeOverload)};
}

ModelState::FunctionKey KeyOf(const onnx::FunctionProto& function) {
  return {FullDomain(function.domain()), function.name(), UnknownString(function, kFunctionOverload)};
}

std::vector<onnx::NodeProto> BodyFor(const onnx::NodeProto& call, const onnx::FunctionProto& function) {
  const Attributes attributes = AttributesFor(call, function);
  std::vector<onnx::NodeProto> body(function.node().begin(), function.node().end());
  for (onnx::NodeProto& node : body) Substitute(attributes, &node);
  return body;
}

Opsets OpsetsOf(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports) {
  Opsets opsets;
  for (const onnx::OperatorSetIdProto& import : imports) {
    const int version = static_cast<int>(std::clamp<int64_t>(import.version(), 0, 1 << 20));
    const auto [it, added] = opsets.emplace(FullDomain(import.domain()), version);
    if (!added && it->second != version) {
      throw Error("E16005", {{"domain_version_size", std::to_string(imports.size())}, {"domain", it->first}});
    }
  }
  return opsets;
}

}  // namespace atc::onnx_parser
