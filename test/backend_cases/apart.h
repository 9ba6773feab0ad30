// Runs a piece of work in a process of its own, so that one that crashes or hangs ends nothing but itself.
#pragma once

#include <functional>
#include <string>

namespace atc::backend_cases {

struct ApartResult {
  std::string text;   // what the work returned; empty where it did not end
  std::string fault;  // why it did not: a signal, the time, no process; empty when all is well
};

// `work` may take so many seconds.
ApartResult RunApart(unsigned seconds, const std::function<std::string()>& work);

}  // namespace atc::backend_cases
