// The description of an operator that --gen_op_project takes: JSON in the form that the vendor's generator reads.
#pragma once

#include <string>
#include <vector>

namespace atc::cli {

struct Run;

struct OpPrototype {
  enum class Port { kRequired, kOptional, kDynamic };
  struct Tensor {
    std::string name;
    Port kind = Port::kRequired;
    std::vector<std::string> types;  // "DT_FLOAT16", one for each way of calling; empty: any
  };
  struct Attr {
    std::string name;
    bool required = false;
    std::string type;      // "bool", "int", "float", "string", "list_int", ...: a word of the table in op_prototype.cc
    std::string fallback;  // as C++ writes it; of one that is not required
  };
  std::string type;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<Attr> attrs;
  std::string domain;  // of ONNX nodes that become this operator
  std::string onnx_type;
  int version = 1;
};

// How an attribute of this type is taken by the aclnn function, set in a call, and declared in C++.
struct AttrWords {
  const char* type;
  const char* parameter;  // "double %", % standing for the name
  const char* setter;     // "aclopSetAttrFloat(opAttr, \"%\", static_cast<float>(%))"
  const char* cpp;        // "float"
};
const AttrWords& WordsOf(const std::string& attr_type);

// Throws Error E10001 for what cannot be read: no JSON, no such type, a name that op_names.h refuses.
OpPrototype ReadOpPrototype(const std::string& path);

// --gen_op_project, a mode of its own.
void GenerateOpProject(Run& run);

// "AddCustom" as "add_custom".
std::string SnakeCase(const std::string& name);

}  // namespace atc::cli
