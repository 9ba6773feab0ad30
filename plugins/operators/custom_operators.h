// Operators that plugins bring: libraries found, loaded and entered into the registries of the process.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/error.h"

namespace atc {

// What became of each library.
struct CustomOperatorReport {
  struct File {
    std::string path;
    std::string why;                     // it was not loaded; empty: it was
    std::vector<std::string> operators;  // types that it brings, in its order
  };

  std::vector<std::string> places;  // "<opp>/vendors/*/custom_operators/*.so", ...
  std::vector<File> files;

  bool empty() const { return files.empty(); }
  // One line a file.
  std::string Text() const;
};

// Loads vendors/*/custom_operators/*.so below `opp_root` (empty: ASCEND_OPP_PATH, else the installation's), then
// custom_operators/*.so in the folders of ASCEND_CUSTOM_OPP_PATH, and enters their operators into OpRegistry and
// SourceMappings. A library that is loaded already is not loaded again. Thread-safe. A library that cannot be loaded, or
// whose registrations are not in order, is left out as a whole and reported; it may not be needed.
CustomOperatorReport LoadCustomOperators(const std::string& opp_root = "");

// The same error with what is known of plugins added, where it is about an operator that is missing (E16002, E10501);
// others as they are.
Error ExplainPlugins(const Error& error, const CustomOperatorReport& report);

}  // namespace atc
