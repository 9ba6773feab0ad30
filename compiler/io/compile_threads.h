// Work of a conversion that several threads share; what comes out is the same with any number of them.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

namespace atc {

// MAX_COMPILE_CORE_NUMBER where it is a whole number above zero, else `fallback`; never more than there are cores.
size_t CompileThreads(size_t fallback);

// Calls `work` with every number below `count`, on so many threads, or as many as the process can have. Returns what the call of the smallest number threw,
// null where none did; numbers that have not been begun when one throws are left out.
std::exception_ptr ForEachOnThreads(size_t count, size_t threads, const std::function<void(size_t)>& work);

}  // namespace atc
