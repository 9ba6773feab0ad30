// Signatures of the ONNX operators, version by version: names, arity and types of inputs and outputs, names and kinds of
// attributes. They come from signatures.txt, which is compiled in; what a model says is checked against them once, for
// all operators (check_node.h), and atc --list_ops prints them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/data_type.h"

namespace atc::onnx_parser {

enum class AttributeKind : uint8_t {
  kInt, kInts, kFloat, kFloats, kString, kStrings, kTensor, kGraph, kSparse, kType
};

// "int", "ints", ...
std::string_view AttributeKindName(AttributeKind kind);

// Types that one input may have: names as ONNX writes them ("float", "seq:float", "opt:seq:int8", "map(int64,float)"),
// and the element types that stand for them, DT_VARIANT for all that are no tensors. Both sorted.
struct TypeSet {
  std::vector<std::string> names;
  std::vector<DataType> dtypes;

  bool Holds(DataType dtype) const;
};

struct SignaturePort {
  enum Kind : uint8_t { kRequired, kOptional, kVariadic };

  std::string name;
  Kind kind = kRequired;
  size_t least = 1;         // of a variadic one
  bool homogeneous = true;  // all of a variadic one have one type
  std::string variable;     // ports of one variable have one type; empty: a fixed type
  TypeSet types;
};

struct SignatureAttribute {
  std::string name;
  AttributeKind kind = AttributeKind::kInt;
  bool required = false;
};

struct Signature {
  std::string domain;  // "ai.onnx" written out
  std::string type;
  int since = 1;
  std::vector<SignaturePort> inputs, outputs;
  std::vector<SignatureAttribute> attributes;
  std::vector<std::pair<std::string, TypeSet>> variables;

  // The port at `index`, the last one standing for all further ones when it is variadic; nullptr beyond.
  const SignaturePort* Input(size_t index) const { return Port(inputs, index); }
  const SignatureAttribute* Attribute(std::string_view name) const;

 private:
  static const SignaturePort* Port(const std::vector<SignaturePort>& ports, size_t index);
};

// All versions of all operators.
class SignatureTable {
 public:
  static const SignatureTable& Get();

  // The newest version not above `opset`; nullptr when there is none. Domain "" is ai.onnx.
  const Signature* Find(std::string_view type, int opset, std::string_view domain) const;
  // Oldest first; empty when unknown.
  const std::vector<Signature>& Versions(std::string_view type, std::string_view domain) const;
  // By domain and type.
  const std::map<std::pair<std::string, std::string>, std::vector<Signature>>& all() const { return operators_; }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<Signature>> operators_;
};

}  // namespace atc::onnx_parser
