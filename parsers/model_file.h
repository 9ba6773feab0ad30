// A model file in memory: mapped read-only, so that its tensors are windows of the page cache and not copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "compiler/ir/tensor.h"

namespace atc {

class ModelFile : public std::enable_shared_from_this<ModelFile> {
 public:
  // Maps `path`. Errors: E10001 naming --model when it is missing, a folder, no plain file or unreadable (the system's
  // reason with its number); E13015 when it is empty.
  static std::shared_ptr<const ModelFile> Map(const std::string& path);
  // Maps a file that a model refers to (external data). The same faults are E13001; it may be empty.
  static std::shared_ptr<const ModelFile> MapReferenced(const std::string& path);
  // A model that is in memory already; `path` is what messages call it, and its folder is where external data are.
  static std::shared_ptr<const ModelFile> FromBytes(std::string path, std::string bytes);

  ~ModelFile();
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;

  const std::string& path() const { return path_; }
  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }

  // A buffer that keeps the file alive. The window must lie within the file (an assertion).
  Buffer Window(size_t offset, size_t size) const;

 private:
  ModelFile() = default;
  // Null when it fails, with errno's number in `*error`.
  static std::shared_ptr<const ModelFile> TryMap(const std::string& path, int* error);

  std::string path_;
  std::string bytes_;  // FromBytes alone
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace atc
