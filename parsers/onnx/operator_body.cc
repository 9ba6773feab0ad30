#include "parsers/onnx/operator_body.h"

#include <algorithm>

namespace atc::onnx_parser {

OperatorBody::OperatorBody(NodeContext& ctx, int opset) : ctx_(ctx) {
  body_.set_name(ctx.op_type());
  body_.set_domain(ctx.domain());
  body_.add_opset_import()->set_version(opset);
  for (size_t i = 0; i < ctx.num_inputs(); ++i) body_.add_input("in" + std::to_string(i));
}

std::string OperatorBody::In(size_t i) const { return ctx_.HasInput(i) ? "in" + std::to_string(i) : ""; }

std::string OperatorBody::Add(std::string_view type, std::vector<std::string> inputs, int outputs) {
  onnx::NodeProto& node = *body_.add_node();
  const std::string number = std::to_string(body_.node_size());
  node.set_op_type(std::string(type));
  node.set_name(std::string(type) + "_" + number);
  for (std::string& input : inputs) node.add_input(std::move(input));
  const std::string first = "out" + number;
  for (int i = 0; i < outputs; ++i) node.add_output(i == 0 ? first : first + "_" + std::to_string(i));
  return first;
}

onnx::AttributeProto& OperatorBody::Attribute(std::string_view attr) {
  onnx::AttributeProto& attribute = *body_.mutable_node(body_.node_size() - 1)->add_attribute();
  attribute.set_name(std::string(attr));
  return attribute;
}

OperatorBody& OperatorBody::Set(std::string_view attr, int64_t value) {
  onnx::AttributeProto& attribute = Attribute(attr);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
  return *this;
}

OperatorBody& OperatorBody::Set(std::string_view attr, float value) {
  onnx::AttributeProto& attribute = Attribute(attr);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
  return *this;
}

OperatorBody& OperatorBody::Set(std::string_view attr, std::string_view value) {
  onnx::AttributeProto& attribute = Attribute(attr);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(std::string(value));
  return *this;
}

OperatorBody& OperatorBody::Set(std::string_view attr, const std::vector<int64_t>& values) {
  onnx::AttributeProto& attribute = Attribute(attr);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
  return *this;
}

OperatorBody& OperatorBody::Copy(std::initializer_list<std::string_view> attrs) {
  for (const onnx::AttributeProto& given : ctx_.proto().attribute()) {
    if (std::find(attrs.begin(), attrs.end(), given.name()) != attrs.end()) Attribute(given.name()) = given;
  }
  return *this;
}

std::string OperatorBody::Float(float value) {
  const std::string constant = Add("Constant", {});
  Set("value_float", value);
  return constant;
}

std::string OperatorBody::FloatLike(float value, const std::string& like) {
  return Add("CastLike", {Float(value), like});
}

std::string OperatorBody::Ints(const std::vector<int64_t>& values) {
  const std::string constant = Add("Constant", {});
  Set("value_ints", values);
  return constant;
}

void OperatorBody::Finish(const std::vector<std::string>& outputs) {
  for (const std::string& output : outputs) body_.add_output(output);
  for (size_t i = outputs.size(); i < ctx_.num_outputs(); ++i) body_.add_output("");
  for (size_t i = 0; i < ctx_.num_outputs(); ++i) {
    if (ctx_.WantsOutput(i) && body_.output(static_cast<int>(i)).empty()) {
      ctx_.Fail("output " + std::to_string(i) +
                " is used, which is not supported; wanted a model that leaves it unused");
    }
  }
  ctx_.Inline(body_);
}

}  // namespace atc::onnx_parser
