// Opening shared libraries.
#pragma once

#include <string>

namespace atc {

// dlopen with every symbol resolved at once and none given to others. Null on failure, with a reason that names symbols
// as the source does. A library stays loaded for the life of the process: its code may be asked for again.
void* OpenLibrary(const std::string& path, std::string* why);

// Whether one was opened: code that may end the process whenever it is called.
bool HasForeignCode();

// The symbol, or null.
void* FindSymbol(void* library, const char* name);

// `text` with each mangled C++ name in it followed by what it stands for.
std::string Demangled(const std::string& text);

}  // namespace atc
