// Where this program does not do what atc does, as data: the README's table is made of it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace atc::cli {

struct Deviation {
  std::string_view subject;
  std::string_view there;  // what atc does
  std::string_view here;   // what this program does, and why
};

std::span<const Deviation> Deviations();

// The table in Markdown.
std::string DeviationsMarkdown();

}  // namespace atc::cli
