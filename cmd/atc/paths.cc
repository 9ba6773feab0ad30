#include "cmd/atc/paths.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/nearest_names.h"

namespace atc::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxListed = 10000;  // names of a folder that are compared with a misspelt one
constexpr size_t kMaxPath = 4096;  // the system's limit, with its final 0

Error Invalid(const std::string& flag, const std::string& path, std::string reason, std::string cure) {
  return Error("E10001", {{"value", path}, {"parameter", "--" + flag}, {"reason", std::move(reason)}}, std::move(cure));
}

// Where a path that is missing leads to: the folder that is not there, or what is called nearly so in the one that is.
std::string MissingCure(const fs::path& path) {
  std::error_code fault;
  fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  if (!fs::exists(folder, fault)) {
    while (!folder.parent_path().empty() && !fs::exists(folder.parent_path(), fault)) folder = folder.parent_path();
    return fmt::format("There is no folder '{}': correct the path, or make the folder and put the file there.", folder.string());
  }
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end && names.size() < kMaxListed; entry.increment(fault)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::string hint = DidYouMean(path.filename().string(), names);
  return fmt::format("{}{}Check the path; what does not begin with '/' is looked for from the working folder on.", hint,
                     hint.empty() ? "" : " ");
}

std::string ReadCure(int number, const std::string& path) {
  switch (number) {
    case ENOENT: return MissingCure(path);
    case ENOTDIR: return "Check the path: a part of it that should be a folder is a file.";
    case EISDIR: return "Name a file in it.";
    case EACCES: return "Give this user the right to read the file and to enter its folders.";
    default: return "Check the path and what it leads to.";
  }
}

// Where the folder is no place for a file.
constexpr const char* kWriteCure = "Give a path in a folder that can be written, or give this user the right to write there.";

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '/' ||
         c == '_' || c == '-';
}

// Bytes of the Chinese character at `at`, 0 where there is none. All of the range takes three bytes in UTF-8.
size_t ChineseBytes(const std::string& text, size_t at) {
  if (at + 3 > text.size()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if ((byte(0) & 0xF0) != 0xE0 || (byte(1) & 0xC0) != 0x80 || (byte(2) & 0xC0) != 0x80) return 0;
  const uint32_t code = (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
  return code >= 0x4E00 && code <= 0x9FA5 ? 3 : 0;
}

}  // namespace

std::string ErrnoText(int number) {
  return fmt::format("[Errno {}] {}", number, std::generic_category().message(number));
}

void CheckPathCharacters(const std::string& flag, const std::string& path) {
  for (size_t i = 0; i < path.size();) {
    const size_t bytes = IsPlain(path[i]) ? 1 : ChineseBytes(path, i);
    if (bytes == 0) {
      throw Invalid(flag, path,
                    "A path may hold letters, digits, '-', '.', '_', '/' and Chinese characters, nothing else.",
                    "Rename the file or its folder.");
    }
    i += bytes;
  }
}

void CheckInputFile(const std::string& flag, const std::string& path) {
  if (path.empty()) throw Error("E10004", {{"parameter", flag}});
  CheckPathCharacters(flag, path);
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || access(path.c_str(), R_OK) != 0) {
    const int number = errno;
    throw Invalid(flag, path, ErrnoText(number) + ".", ReadCure(number, path));
  }
  if (S_ISDIR(info.st_mode)) throw Invalid(flag, path, ErrnoText(EISDIR) + ".", ReadCure(EISDIR, path));
  // Models are mapped, so a pipe cannot serve.
  if (!S_ISREG(info.st_mode)) {
    throw Invalid(flag, path, "It is not a regular file; save the data to one first.", "Save the data to a file and name that.");
  }
}

void CheckOutputFile(const std::string& flag, const std::string& path, const std::string& suffix) {
  if (path.empty()) throw Error("E10004", {{"parameter", flag}});
  if (path.size() + suffix.size() >= kMaxPath) {
    throw Invalid(flag, path, fmt::format("The path length must be less than {} characters.", kMaxPath),
                  "Give a shorter path.");
  }
  CheckPathCharacters(flag, path);
  if (path.back() == '/') throw Error("E10022", {{"filename", path}, {"parameter", flag}});
  const std::string target = path + suffix;
  struct stat info;
  if (stat(target.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) throw Invalid(flag, path, ErrnoText(EISDIR) + ".", "Give another name: a folder has this one.");
    if (access(target.c_str(), W_OK) != 0) throw Invalid(flag, path, ErrnoText(errno) + ".", kWriteCure);
    return;
  }
  std::string folder = target;
  do {
    const size_t slash = folder.rfind('/');
    folder = slash == std::string::npos ? "." : slash == 0 ? "/" : folder.substr(0, slash);
    if (stat(folder.c_str(), &info) == 0) {
      if (!S_ISDIR(info.st_mode)) throw Invalid(flag, path, ErrnoText(ENOTDIR) + ": " + folder + ".", kWriteCure);
      if (access(folder.c_str(), W_OK | X_OK) != 0) throw Invalid(flag, path, ErrnoText(errno) + ": " + folder + ".", kWriteCure);
      return;
    }
    if (errno != ENOENT) throw Invalid(flag, path, ErrnoText(errno) + ".", kWriteCure);
  } while (folder != "." && folder != "/");
  throw Invalid(flag, path, ErrnoText(ENOENT) + ".", kWriteCure);  // not even the folder of the process exists any more
}

}  // namespace atc::cli
