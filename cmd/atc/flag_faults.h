// What is wrong with flags, told at once.
#pragma once

#include <set>
#include <string>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/ir/fault_list.h"

namespace atc::cli {

// The first fault is the message, as if it had been thrown where it was found; the others are lines of its trace, each once.
class FlagFaults {
 public:
  void Add(const Error& error) {
    std::string line = MessageText(error.diagnostic());
    if (const std::string& cure = error.diagnostic().cure; !cure.empty()) line += " " + cure;
    if (told_.insert(line).second) list_.Add(error, std::move(line));
  }

  // Keeps the Error that `check` throws. False where it throws one.
  template <class Check>
  bool Try(Check&& check) {
    try {
      check();
      return true;
    } catch (const Error& error) {
      Add(error);
      return false;
    }
  }

  void ThrowIfAny() { list_.ThrowIfAny(); }

 private:
  FaultList list_;
  std::set<std::string> told_;
};

}  // namespace atc::cli
