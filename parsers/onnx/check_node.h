// Checks one node of a model against the signature of its operator, before its converter sees it.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "compiler/ir/error.h"
#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {

// Attributes that operators of a model have and ONNX does not know.
class UnknownAttributes {
 public:
  void Add(const std::string& op_type, const std::string& attribute, const std::string& node);
  // One warning an operator and attribute, with the count of nodes.
  void Warn(Diagnostics* diagnostics) const;

 private:
  struct Seen {
    int count = 0;
    std::string first_node;
  };
  std::map<std::pair<std::string, std::string>, Seen> seen_;  // operator, attribute
};

// Throws Error E14001 naming the node, what was found and what is wanted: for too few and too many inputs and outputs,
// element types that no version of the operator takes, operands that differ where one type is wanted, attributes that
// are missing, given twice, of a wrong type, or hold a word that is none of the operator's.
// Operators without signature pass. What is newer than the model's version in types is let through: kernels know it.
void CheckNode(const NodeContext& ctx, const onnx::NodeProto& node, UnknownAttributes* unknown);

}  // namespace atc::onnx_parser
