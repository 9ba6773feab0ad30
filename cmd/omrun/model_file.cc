#include "cmd/omrun/model_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cmd/omrun/backend.h"
#include "cmd/omrun/tensor.h"

namespace atc::omrun {

void CheckModelFile(const Backend& backend, const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw RunError(fmt::format("'{}' is a folder, not a model", path));
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw RunError(fmt::format("cannot open the model '{}': {}", path, std::strerror(errno)));
  char magic[4] = {};
  const size_t got = std::fread(magic, 1, sizeof magic, file.get());
  if (got == 0) throw RunError(fmt::format("the model '{}' is empty", path));
  if (got < sizeof magic || std::memcmp(magic, "IMOD", sizeof magic) != 0) {
    throw RunError(fmt::format("'{}' is no om: it does not begin with IMOD. Convert the model with atc first", path));
  }
  if (!backend.is_own_model) return;
  int32_t own = 0;
  backend.Check(backend.is_own_model(path.c_str(), &own), fmt::format("reading '{}'", path));
  if (!own) {
    throw RunError(
        fmt::format("'{}' was written by another converter: it holds programs for a real NPU, which this "
                    "simulated device cannot run. Convert the source model with this project's atc, or name "
                    "the vendor's library with --backend",
                    path));
  }
}

}  // namespace atc::omrun
