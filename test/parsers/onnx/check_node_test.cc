// What a model says of one node, against the signature of its operator.
#include "parsers/onnx/check_node.h"

#include <catch2/catch.hpp>
#include <functional>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "test/parsers/onnx/model_maker.h"

namespace atc {
namespace {

using testing::AddNode;
using testing::AddValue;
using testing::EmptyModel;

struct Said {
  std::string error;    // empty: converted
  std::string warning;  // of the first
};

// y = TYPE(x float [1, 2, 6, 6], w float [4, 2, 3, 3], n int64 [2]) with the inputs named.
Said Parse(const std::string& type, const std::vector<std::string>& inputs,
           const std::function<void(onnx::NodeProto&)>& change = {}, int opset = 17, size_t outputs = 1) {
  onnx::ModelProto model = EmptyModel(opset);
  AddValue(model.mutable_graph()->add_input(), "x", {1, 2, 6, 6});
  AddValue(model.mutable_graph()->add_input(), "w", {4, 2, 3, 3});
  AddValue(model.mutable_graph()->add_input(), "n", {2}, onnx::TensorProto::INT64);
  model.mutable_graph()->add_output()->set_name("y0");
  std::vector<std::string> names;
  for (size_t i = 0; i < outputs; ++i) names.push_back("y" + std::to_string(i));
  onnx::NodeProto* node = AddNode(model.mutable_graph(), type, "node", inputs, names);
  if (change) change(*node);
  Diagnostics diagnostics;
  Said said;
  try {
    ParseOnnxBytes("model.onnx", model.SerializeAsString(), {}, &diagnostics);
  } catch (const Error& error) {
    said.error = MessageText(error.diagnostic());
    CHECK(error.diagnostic().context.front() == "node 'node' (" + type + ")");
  }
  if (!diagnostics.all().empty()) said.warning = MessageText(diagnostics.all()[0]);
  return said;
}

onnx::AttributeProto* AddAttribute(onnx::NodeProto& node, const std::string& name,
                                   onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

void SetText(onnx::NodeProto& node, const std::string& name, const std::string& text) {
  AddAttribute(node, name, onnx::AttributeProto::STRING)->set_s(text);
}

using Catch::Contains;

TEST_CASE("the number of inputs and outputs is checked") {
  CHECK(Parse("Conv", {"x", "w"}).error.empty());
  CHECK_THAT(Parse("Conv", {"x"}).error, Contains("input 1 'W' is missing"));
  CHECK_THAT(Parse("Conv", {"", "w"}).error, Contains("input 0 'X' is missing"));
  CHECK_THAT(Parse("Conv", {"x", "w", "", "w"}).error, Contains("it has 4 inputs; version 11 of the operator takes at most 3"));
  CHECK_THAT(Parse("Relu", {"x", "x"}).error, Contains("it has 2 inputs; version 14 of the operator takes 1"));
  CHECK_THAT(Parse("Relu", {"x"}, {}, 17, 2).error, Contains("it has 2 outputs; version 14 of the operator has 1"));
  CHECK_THAT(Parse("Sum", {}).error, Contains("input 0 'data_0' is missing"));
}

TEST_CASE("element types are checked") {
  CHECK_THAT(Parse("Conv", {"n", "w"}).error, Contains("input 0 'X' is DT_INT64; the operator takes bfloat16"));
  CHECK_THAT(Parse("Add", {"x", "n"}).error,
             Contains("input 0 'A' is DT_FLOAT and input 1 'B' is DT_INT64; they must be of one type"));
  // int64 has been a type of Relu since opset 14.
  CHECK(Parse("Relu", {"n"}, {}, 6).error.empty());
}

TEST_CASE("attributes are checked") {
  CHECK_THAT(Parse("Conv", {"x", "w"}, [](auto& node) { SetText(node, "auto_pad", "WHAT"); }).error,
             Contains("attribute 'auto_pad' is 'WHAT', wanted one of NOTSET, SAME_UPPER, SAME_LOWER, VALID"));
  CHECK_THAT(Parse("ConvTranspose", {"x", "w"}, [](auto& node) { SetText(node, "auto_pad", "WHAT"); }).error,
             Contains("attribute 'auto_pad' is 'WHAT'"));
  CHECK_THAT(Parse("LeakyRelu", {"x"},
                   [](auto& node) { AddAttribute(node, "alpha", onnx::AttributeProto::INT)->set_i(1); })
                 .error,
             Contains("attribute 'alpha' is of type int, wanted float"));
  CHECK_THAT(Parse("LeakyRelu", {"x"},
                   [](auto& node) { AddAttribute(node, "alpha", onnx::AttributeProto::FLOAT)->set_i(1); })
                 .error,
             Contains("attribute 'alpha' says that it is of type float and holds int"));
  CHECK_THAT(Parse("LeakyRelu", {"x"},
                   [](auto& node) {
                     for (int i = 0; i < 2; ++i) AddAttribute(node, "alpha", onnx::AttributeProto::FLOAT)->set_f(1);
                   })
                 .error,
             Contains("attribute 'alpha' is given twice"));
  CHECK_THAT(Parse("Concat", {"x"}).error, Contains("attribute 'axis' is missing"));
  const Said unknown = Parse("Relu", {"x"}, [](auto& node) { SetText(node, "colour", "red"); });
  CHECK(unknown.error.empty());
  CHECK(unknown.warning ==
        "The attribute 'colour' of Relu (node 'node') is none of the operator's; it is not used.");
}

}  // namespace
}  // namespace atc
