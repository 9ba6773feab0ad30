#include "cmd/atc/deviations.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <sstream>

namespace atc::cli {
namespace {

TEST_CASE("the README holds the table of deviations") {
  std::ostringstream readme;
  readme << std::ifstream("README.md").rdbuf();
  const std::string table = DeviationsMarkdown();
  const bool found = readme.str().find(table) != std::string::npos;
  if (!found) std::cout << "the table that belongs into README.md:\n" << table;
  CHECK(found);
}

}  // namespace
}  // namespace atc::cli
