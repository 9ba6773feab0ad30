// Values of variables in a checkpoint: an index beside data files.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "compiler/ir/tensor.h"
#include "parsers/model_file.h"

namespace atc::tf_parser {

class Checkpoint {
 public:
  // `prefix` is the path without ".index". Errors: E13001 (no such file), E13005.
  explicit Checkpoint(std::string prefix);

  // The tensor under a key, a window of its data file; undefined when there is none. Errors: E13014 for what is stored
  // in parts or is no plain type.
  Tensor Find(const std::string& key);
  // The key of a variable by the name that the checkpoint notes for it; empty when it notes none.
  std::string KeyOf(const std::string& variable);

 private:
  void ReadNames();

  std::string prefix_;
  std::map<std::string, std::string> entries_;  // key -> message
  int shards_ = 1;
  std::map<int, std::shared_ptr<const ModelFile>> data_;
  bool names_read_ = false;
  std::map<std::string, std::string> keys_;  // name of a variable -> key
};

}  // namespace atc::tf_parser
