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

  // The tensor under a key, a window of its data file, or put together where it is stored in parts; undefined when there
  // is none. `part` is one of RestoreV2's shapes and slices ("10 4 0,5:-": rows 0 to 4 of 10 by 4), empty for all of it.
  // Errors: E13014 for what is no plain type, parts that do not make the whole, and a part that it does not have.
  Tensor Find(const std::string& key, const std::string& part = "");
  // The key of a variable by the name that the checkpoint notes for it; empty when it notes none.
  std::string KeyOf(const std::string& variable);

 private:
  void ReadNames();
  Tensor FindWhole(const std::string& key);
  Tensor Joined(const std::string& key, const std::string& message);

  std::string prefix_;
  std::map<std::string, std::string> entries_;  // key -> message
  int shards_ = 1;
  std::map<int, std::shared_ptr<const ModelFile>> data_;
  bool names_read_ = false;
  std::map<std::string, std::string> keys_;  // name of a variable -> key
};

}  // namespace atc::tf_parser
