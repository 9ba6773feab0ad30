// A folder of files for one test, gone afterwards.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cmd/omrun/npy.h"

namespace atc::omrun {

class Folder {
 public:
  Folder() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() / ("omrun" + std::to_string(getpid()) + "_" + std::to_string(number++));
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  void Write(const std::string& name, const std::vector<std::byte>& bytes) const {
    Write(name, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t Count(const std::string& name = "") const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_ / name), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

template <class T>
Tensor MakeTensor(aclDataType type, const Dims& dims, const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  return {type, dims, {bytes, bytes + values.size() * sizeof(T)}};
}
inline Tensor MakeFloats(const Dims& dims, const std::vector<float>& values) { return MakeTensor(ACL_FLOAT, dims, values); }

template <class T>
std::vector<T> ValuesOf(const Tensor& tensor) {
  const auto* values = reinterpret_cast<const T*>(tensor.bytes.data());
  return {values, values + tensor.bytes.size() / sizeof(T)};
}

// The text of the RunError that the call throws; empty: none.
template <class Call>
std::string ErrorOf(Call&& call) {
  try {
    call();
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace atc::omrun
