#include "plugins/loader/shared_library.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

namespace atc {

namespace {

// What a library lacks at its end, empty where nothing is known to be missing: the loader would map such a file and be
// killed by the first access to what is not there.
std::string MissingPart(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  ElfW(Ehdr) header{};
  const auto read = [&](uint64_t at, auto* to) {
    file.seekg(static_cast<std::streamoff>(at));
    file.read(reinterpret_cast<char*>(to), sizeof *to);
    return static_cast<bool>(file);
  };
  // What is no such file, the loader tells.
  if (!read(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return "";
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) part{};
    const bool whole = header.e_phoff <= size && read(header.e_phoff + i * sizeof part, &part) &&
                       part.p_offset <= size && part.p_filesz <= size - part.p_offset;
    if (!whole) return "the file is cut off at byte " + std::to_string(size) + "; copy it again";
  }
  return "";
}

std::atomic<bool> foreign_code = false;

}  // namespace

bool HasForeignCode() { return foreign_code; }

void* OpenLibrary(const std::string& path, std::string* why) {
  *why = MissingPart(path);
  if (!why->empty()) return nullptr;
  foreign_code = true;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* message = dlerror();
    *why = Demangled(message == nullptr ? "dlopen failed" : message);
  }
  return library;
}

void* FindSymbol(void* library, const char* name) { return dlsym(library, name); }

std::string Demangled(const std::string& text) {
  const auto part_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '.';
  };
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const bool begins = text.compare(i, 2, "_Z") == 0 && (i == 0 || !part_of_name(text[i - 1]));
    size_t end = i + 1;
    while (begins && end < text.size() && part_of_name(text[end])) ++end;
    const std::string token = text.substr(i, end - i);
    result += token;
    i = end;
    if (!begins) continue;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(token.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    if (status == 0 && name) result += " (" + std::string(name.get()) + ")";
  }
  return result;
}

}  // namespace atc
