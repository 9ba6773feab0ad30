// An operator that stands for others: its body is written with operators of ai.onnx and read as that of a function is.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>
#include <vector>

#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {

class OperatorBody {
 public:
  // `opset` of ai.onnx is what the body's operators are of.
  explicit OperatorBody(NodeContext& ctx, int opset = 20);

  // The operator's input i; "", an absent one, where it is not given.
  std::string In(size_t i) const;

  // A node; returns the name of its first output, of which further ones have "_1", "_2" behind.
  std::string Add(std::string_view type, std::vector<std::string> inputs, int outputs = 1);
  // Attributes of the node added last.
  OperatorBody& Set(std::string_view attr, int64_t value);
  OperatorBody& Set(std::string_view attr, float value);
  OperatorBody& Set(std::string_view attr, std::string_view value);
  OperatorBody& Set(std::string_view attr, const std::vector<int64_t>& values);
  // Those of the operator that are given, under their own names.
  OperatorBody& Copy(std::initializer_list<std::string_view> attrs);

  std::string Float(float value);
  // The same in the type of `like`: an operator may be of halves.
  std::string FloatLike(float value, const std::string& like);
  std::string Ints(const std::vector<int64_t>& values);

  // Takes the operator's place: its outputs in order, "" for what the body does not make.
  void Finish(const std::vector<std::string>& outputs);

 private:
  onnx::AttributeProto& Attribute(std::string_view attr);

  NodeContext& ctx_;
  onnx::FunctionProto body_;
};

}  // namespace atc::onnx_parser
