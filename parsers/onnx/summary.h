// What is in an ONNX file, without converting it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace atc {

struct OnnxSummary {
  struct Value {
    std::string name;
    std::string type;               // "DT_FLOAT"; "DT_VARIANT" for sequences and the like
    bool has_rank = true;           // false: not even the number of dims is known
    std::vector<std::string> dims;  // "8", a symbol, or "-1" where the model says nothing
  };
  struct Operator {
    std::string domain, type;
    int opset = 0;  // that the model imports for the domain; 0: none
    int count = 0;  // nodes, nested graphs and functions included
    std::string first_node;
    bool supported = false;
  };
  // A file that holds tensors for the model.
  struct DataFile {
    std::string location;  // as the model names it
    int64_t bytes = 0;     // that the model takes of it
  };

  int64_t ir_version = 0;
  std::string producer;  // name and version; empty where the file does not say
  std::string graph;     // its name
  int64_t file_bytes = 0;
  std::map<std::string, int> opsets;
  std::vector<Value> inputs;  // without those that an initializer gives
  std::vector<Value> outputs;
  std::vector<Operator> operators;  // by domain and type
  int64_t nodes = 0;
  int64_t functions = 0;
  int64_t parameters = 0;               // elements of initializers and Constant nodes, nested graphs included
  int64_t parameter_bytes = 0;          // 0 for strings
  std::vector<DataFile> external_data;  // by location
};

// Errors: E13005, E13015, E16001, E16004, E16005; operators that are not supported are listed, not refused.
OnnxSummary SummarizeOnnx(const std::string& path);

}  // namespace atc
