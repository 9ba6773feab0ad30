#include "backend/acl/dump_file.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace atc::acl {
namespace {

uint64_t Microseconds() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                   std::chrono::system_clock::now().time_since_epoch()).count());
}

// The fields of the dump's message that describe one tensor; numbers as protobuf has them.
struct ProtoType {
  DataType dtype;
  int number;
};
constexpr ProtoType kProtoTypes[] = {
    {DT_FLOAT, 1},   {DT_FLOAT16, 2},  {DT_INT8, 3},    {DT_UINT8, 4},     {DT_INT16, 5},
    {DT_UINT16, 6},  {DT_INT32, 7},    {DT_INT64, 8},   {DT_UINT32, 9},    {DT_UINT64, 10},
    {DT_BOOL, 11},   {DT_DOUBLE, 12},  {DT_STRING, 13}, {DT_COMPLEX64, 16}, {DT_COMPLEX128, 17},
    {DT_BF16, 27},
};

void AddVarint(uint64_t value, std::string* to) {
  for (; value >= 0x80; value >>= 7) *to += static_cast<char>(value | 0x80);
  *to += static_cast<char>(value);
}
void AddNumber(int field, uint64_t value, std::string* to) {
  AddVarint(static_cast<uint64_t>(field) << 3, to);
  AddVarint(value, to);
}
void AddBytes(int field, const std::string& bytes, std::string* to) {
  AddVarint(static_cast<uint64_t>(field) << 3 | 2, to);
  AddVarint(bytes.size(), to);
  *to += bytes;
}

// One message of an input or output: type 1, format 2, shape 3, size and original shape, whose numbers differ.
std::string Describe(bool input, DataType dtype, Format format, const Shape& dims, size_t bytes) {
  const auto* type = std::find_if(std::begin(kProtoTypes), std::end(kProtoTypes),
                                  [&](const ProtoType& row) { return row.dtype == dtype; });
  std::string shape, message;
  for (const int64_t dim : dims.dims()) AddNumber(1, static_cast<uint64_t>(dim), &shape);
  AddNumber(1, type == std::end(kProtoTypes) ? 0 : static_cast<uint64_t>(type->number), &message);
  AddNumber(2, static_cast<uint64_t>(format), &message);
  AddBytes(3, shape, &message);
  AddNumber(input ? 5 : 6, bytes, &message);
  AddBytes(input ? 6 : 7, shape, &message);
  return message;
}

// Hands a file over in pieces.
void HandOver(DumpCallback callback, const std::string& name, const std::string& file) {
  constexpr size_t kPiece = size_t{1} << 20;
  for (size_t at = 0; at < file.size(); at += kPiece) {
    const size_t bytes = std::min(kPiece, file.size() - at);
    std::vector<uint64_t> memory((sizeof(acldumpChunk) + bytes + 7) / 8);
    auto* chunk = reinterpret_cast<acldumpChunk*>(memory.data());
    name.copy(chunk->fileName, sizeof(chunk->fileName) - 1);
    chunk->bufLen = static_cast<uint32_t>(bytes);
    chunk->isLastChunk = at + bytes == file.size() ? 1 : 0;
    chunk->offset = static_cast<int64_t>(at);
    std::memcpy(reinterpret_cast<char*>(chunk) + offsetof(acldumpChunk, dataBuf), file.data() + at, bytes);
    if (callback(chunk, static_cast<int32_t>(sizeof(acldumpChunk) + bytes)) != 0) {
      throw std::runtime_error("the callback refused the dump '" + name + "'");
    }
  }
}

}  // namespace

std::string FileWord(std::string name) {
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '/' || c == '.' || c == '\\' || c == ' '; }, '_');
  return name;
}

void DumpFile::Open(const std::string& op_type, const std::string& op_name, uint32_t task, uint32_t stream) {
  open_ = true;
  name_ = FileWord(op_type) + "." + FileWord(op_name) + "." + std::to_string(task) + "." + std::to_string(stream) + "." +
          std::to_string(Microseconds());
  op_name_ = op_name;
}

void DumpFile::Add(bool input, DataType dtype, Format format, const Shape& shape, const std::string& bytes) {
  AddBytes(input ? 4 : 3, Describe(input, dtype, format, shape, bytes.size()), input ? &inputs_ : &outputs_);
  (input ? input_data_ : output_data_) += bytes;
}

void DumpFile::Close() {
  if (!open_) return;
  open_ = false;
  std::string message;
  AddBytes(1, "2.0", &message);
  AddNumber(2, Microseconds(), &message);
  message += outputs_ + inputs_;
  AddBytes(6, op_name_, &message);
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(static_cast<uint64_t>(message.size()) >> (8 * i));
  file += message + input_data_ + output_data_;
  inputs_.clear(), outputs_.clear(), input_data_.clear(), output_data_.clear();
  const std::filesystem::path path = folder_ / name_;
  if (callback_ != nullptr) {
    HandOver(callback_, path.string(), file);
    return;
  }
  std::ofstream stream(path, std::ios::binary);
  stream.write(file.data(), static_cast<std::streamsize>(file.size()));
  stream.close();
  if (!stream) throw std::runtime_error("the dump '" + path.string() + "' cannot be written");
}
}  // namespace atc::acl
