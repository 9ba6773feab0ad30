#include "parsers/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>

#include "compiler/ir/error.h"

namespace atc {
namespace {

// "[Errno 2] No such file or directory": the form of atc's messages.
std::string SystemReason(int error) { return fmt::format("[Errno {}] {}", error, std::strerror(error)); }

}  // namespace

std::shared_ptr<const ModelFile> ModelFile::TryMap(const std::string& path, int* error) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer must not block
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    *error = errno;
    if (fd >= 0) ::close(fd);
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    *error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    ::close(fd);
    return nullptr;
  }
  std::shared_ptr<ModelFile> file(new ModelFile);
  file->path_ = path;
  file->size_ = static_cast<size_t>(status.st_size);
  if (file->size_ > 0) {
    void* address = ::mmap(nullptr, file->size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED) {
      *error = errno;
      ::close(fd);
      return nullptr;
    }
    file->data_ = static_cast<const std::byte*>(address);
    file->mapped_ = true;
  }
  ::close(fd);
  return file;
}

std::shared_ptr<const ModelFile> ModelFile::Map(const std::string& path) {
  int error = 0;
  std::shared_ptr<const ModelFile> file = TryMap(path, &error);
  if (file == nullptr) {
    throw Error("E10001", {{"value", path}, {"parameter", "--model"}, {"reason", SystemReason(error)}},
                "Give the path of a model file that may be read.");
  }
  if (file->size() == 0) throw Error("E13015", {{"file", path}, {"size", "0"}, {"maxsize", "2^63 - 1"}});
  return file;
}

std::shared_ptr<const ModelFile> ModelFile::MapReferenced(const std::string& path) {
  int error = 0;
  std::shared_ptr<const ModelFile> file = TryMap(path, &error);
  if (file == nullptr) {
    throw Error("E13001", {{"file", path}, {"errmsg", SystemReason(error)}},
                "Keep the external data files beside the model, under the names that it gives.");
  }
  return file;
}

std::shared_ptr<const ModelFile> ModelFile::FromBytes(std::string path, std::string bytes) {
  std::shared_ptr<ModelFile> file(new ModelFile);
  file->path_ = std::move(path);
  file->bytes_ = std::move(bytes);
  file->data_ = reinterpret_cast<const std::byte*>(file->bytes_.data());
  file->size_ = file->bytes_.size();
  return file;
}

ModelFile::~ModelFile() {
  if (mapped_) ::munmap(const_cast<std::byte*>(data_), size_);
}

Buffer ModelFile::Window(size_t offset, size_t size) const {
  assert(offset <= size_ && size <= size_ - offset);
  Buffer buffer;
  buffer.owner = shared_from_this();
  buffer.data = const_cast<std::byte*>(data_) + offset;
  buffer.size = size;
  return buffer;
}

}  // namespace atc
