#include "compiler/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "compiler/ir/error.h"

namespace atc {
namespace {

[[noreturn]] void Fail(const char* code, const std::string& path, int number) {
  throw Error(code, {{"file", path}, {"errmsg", std::generic_category().message(number)}});
}

}  // namespace

Buffer MapFile(const std::string& path) {
  return MapFile(Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
}

Buffer MapFile(const Descriptor& file, const std::string& path) {
  struct stat info;
  if (file.fd() < 0 || fstat(file.fd(), &info) != 0) Fail("E13001", path, errno);
  if (S_ISDIR(info.st_mode)) Fail("E13001", path, EISDIR);
  // A pipe or a device has no size to map.
  if (!S_ISREG(info.st_mode)) Fail("E13003", path, ESPIPE);
  Buffer buffer;
  buffer.size = static_cast<size_t>(info.st_size);
  if (buffer.size == 0) return buffer;
  void* bytes = mmap(nullptr, buffer.size, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (bytes == MAP_FAILED) Fail("E13003", path, errno);
  buffer.data = static_cast<std::byte*>(bytes);
  buffer.owner =
      std::shared_ptr<const void>(bytes, [size = buffer.size](const void* p) { munmap(const_cast<void*>(p), size); });
  return buffer;
}

}  // namespace atc
