// Which flags exclude or need each other, as data for help and documents; check_rules.cc enforces them.
#pragma once

#include <span>
#include <string_view>

namespace atc::cli {

struct Relation {
  std::string_view flags;   // separated by blanks: those whose help tells of it
  std::string_view rule;    // a sentence
  std::string_view code;    // of the error that says that it is broken
  std::string_view breach;  // what breaks it, when it is added to a command line that is right otherwise
  bool late = false;        // it is found while the graph is compiled
};

std::span<const Relation> Relations();

}  // namespace atc::cli
