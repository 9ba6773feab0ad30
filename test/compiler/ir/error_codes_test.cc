// What the sources throw must be what the catalogue holds: an unknown code has no text, a missing argument reads "?".
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "compiler/ir/error_catalogue.h"

namespace atc {
namespace {

std::string Read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The text from the brace at `begin` to the one that closes it; braces in literals do not count.
std::string Braced(const std::string& text, size_t begin) {
  int depth = 0;
  bool literal = false;
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"' && text[i - 1] != '\\') literal = !literal;
    if (literal) continue;
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return text.substr(begin, i + 1 - begin);
  }
  return "";
}

std::set<std::string> Names(const std::string& text, const std::regex& pattern) {
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    names.insert((*match)[1]);
  }
  return names;
}

void CheckThrows(const std::string& file, const std::string& text) {
  static const std::regex kThrow(R"re((?:\bError|\bWarn)\("([EW][A-Z0-9]\d{4})",\s*(?=\{))re");
  for (std::sregex_iterator match(text.begin(), text.end(), kThrow), end; match != end; ++match) {
    const std::string code = (*match)[1];
    INFO(file << ": " << code);
    const ErrorEntry* entry = FindErrorEntry(code);
    CHECK(entry != nullptr);
    if (!entry) continue;
    const std::string args = Braced(text, match->position() + match->length());
    const std::set<std::string> given = Names(args, std::regex("\\{\"(\\w+)\""));
    if (given.empty() && args != "{}") continue;  // made elsewhere
    for (const std::string& name : Names(std::string(entry->text), std::regex("\\{(\\w+)\\}"))) {
      INFO("argument " << name);
      CHECK(given.count(name) == 1);
    }
  }
}

TEST_CASE("every code that the sources throw has an entry, and gets the arguments of its text") {
  size_t files = 0;
  for (const char* folder : {"backend", "cmd", "compiler", "parsers", "plugins"}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cc" && extension != ".h") continue;
      ++files;
      CheckThrows(entry.path(), Read(entry.path()));
    }
  }
  CHECK(files > 50);
}

}  // namespace
}  // namespace atc
