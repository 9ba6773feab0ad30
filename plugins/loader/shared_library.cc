#include "plugins/loader/shared_library.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>

namespace atc {

void* OpenLibrary(const std::string& path, std::string* why) {
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
