// What is in a model, without converting it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace atc {

struct ModelSummary {
  struct Value {
    std::string name;
    std::string type;               // "DT_FLOAT"; "DT_VARIANT" for sequences and the like; empty: not known
    bool has_rank = true;           // false: not even the number of dims is known
    std::vector<std::string> dims;  // "8", a symbol, or "-1" where the model says nothing
  };
  struct Operator {
    std::string domain, type;  // the domain is "tensorflow" in TensorFlow models
    int opset = 0;             // that the model imports for the domain; 0: none
    int count = 0;  // nodes, nested graphs and functions included
    std::string first_node;
    bool supported = false;
  };
  // A file that holds tensors for the model.
  struct DataFile {
    std::string location;  // as the model names it
    int64_t bytes = 0;     // that the model takes of it
  };

  std::string framework;   // "onnx" or "tensorflow"
  int64_t ir_version = 0;  // of ONNX; of TensorFlow the version of the library that wrote the graph. 0: not said
  std::string producer;  // name and version; empty where the file does not say
  std::string graph;     // its name
  int64_t file_bytes = 0;
  std::map<std::string, int> opsets;
  std::vector<Value> inputs;  // without those that have a value in the model
  std::vector<Value> outputs;
  std::vector<Operator> operators;  // by domain and type
  int64_t nodes = 0;
  int64_t functions = 0;
  int64_t parameters = 0;               // elements of constants and variables, nested graphs included
  int64_t parameter_bytes = 0;          // 0 for strings
  std::vector<DataFile> external_data;  // by location
};

// Operators that are not supported are listed, not refused. Errors: E13005, E13015, E16001, E16004, E16005.
ModelSummary SummarizeOnnx(const std::string& path);

// Of a GraphDef or a SavedModel; only what the outputs depend on. The types of outputs are those that are inferred, where
// every operator is supported. Errors: those of ParseTensorFlow, but for operators without converter.
ModelSummary SummarizeTensorFlow(const std::string& path);

}  // namespace atc
