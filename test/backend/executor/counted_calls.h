// Counts, while it is asked to, what a steady run has no use for: allocations and locks of the calling program's code.
#pragma once

namespace atc::test {

struct CountedCalls {
  int allocations = 0;  // operator new, of any thread
  int locks = 0;        // taken, tried or waited for, and threads woken up, of any thread
};

// From now on. What oneDNN and OpenMP do inside of their calls is their affair and is not counted.
void BeginCounting();
CountedCalls EndCounting();

}  // namespace atc::test
