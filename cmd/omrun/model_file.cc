#include "cmd/omrun/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "cmd/omrun/backend.h"
#include "cmd/omrun/tensor.h"

namespace atc::omrun {
namespace {

// Every om of ours bears an attribute of this name. It lies somewhere in the model's description, which is read whole.
constexpr std::string_view kOurAttribute = "openatc_format";

bool IsMarkedAsOurs(FILE* file) {
  std::string window;
  std::vector<char> piece(1 << 20);
  for (size_t got; (got = std::fread(piece.data(), 1, piece.size(), file)) > 0;) {
    window.append(piece.data(), got);
    if (window.find(kOurAttribute) != std::string::npos) return true;
    window.erase(0, window.size() - std::min(window.size(), kOurAttribute.size()));
  }
  return false;
}

}  // namespace

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
  if (!backend.is_own_model) {
    // A vendor's library takes our om for its own, and would then look in vain for the programs of its tasks.
    if (IsMarkedAsOurs(file.get())) {
      throw RunError(
          fmt::format("'{}' was written by this project's atc: it holds no programs for a real NPU, so '{}' cannot run "
                      "it. Leave --backend out to run it on the simulated device",
                      path, backend.path));
    }
    return;
  }
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
