// A file mapped into memory, read-only.
#pragma once

#include <string>

#include "compiler/io/descriptor.h"
#include "compiler/ir/tensor.h"

namespace atc {

// The whole file as a buffer whose owner keeps the mapping; windows of it share the owner. An empty file is a buffer of
// no bytes. Writing to the buffer is an access violation. Errors: E13001 (file, errmsg) when it cannot be opened or is
// a folder, E13003 when it cannot be mapped.
Buffer MapFile(const std::string& path);
// Of an open file, whatever has become of its name; `path` is for messages.
Buffer MapFile(const Descriptor& file, const std::string& path);

}  // namespace atc
