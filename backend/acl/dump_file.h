// One file of a dump: all tensors of one operator, in the form that CANN's tools read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "backend/acl/include/acl/acl_dump.h"
#include "compiler/ir/data_type.h"
#include "compiler/ir/format.h"
#include "compiler/ir/shape.h"

namespace atc::acl {

using DumpCallback = int32_t (*)(const acldumpChunk*, int32_t);

// 8 bytes with the size of the description, the description, the data of inputs and outputs in their order.
class DumpFile {
 public:
  // `callback` takes what would be the file; null: it is written. The folder is there.
  DumpFile(std::filesystem::path folder, DumpCallback callback) : folder_(std::move(folder)), callback_(callback) {}

  // The names are the operator's; task and stream are numbers for the file's name.
  void Open(const std::string& op_type, const std::string& op_name, uint32_t task, uint32_t stream);
  bool open() const { return open_; }
  // `bytes`: the elements, row-major without gaps.
  void Add(bool input, DataType dtype, Format format, const Shape& shape, const std::string& bytes);
  // Writes it. Throws std::runtime_error where it cannot.
  void Close();

 private:
  std::filesystem::path folder_;
  DumpCallback callback_;
  bool open_ = false;
  std::string name_, op_name_, inputs_, outputs_, input_data_, output_data_;
};

// Names of files and folders have no place for some characters: with '_' in their place.
std::string FileWord(std::string name);

}  // namespace atc::acl
