// Work at load that comes in independent pieces.
#pragma once

#include <cstddef>
#include <functional>

namespace atc {

// Calls body(0) to body(count - 1), each once, in any order, on up to `threads` threads at a time, and waits for all.
// What the piece with the lowest number throws is thrown.
void SideBySide(int threads, size_t count, const std::function<void(size_t)>& body);

}  // namespace atc
