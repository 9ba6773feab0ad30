// The error catalogue: what each code is called, what it says, why it happens and what to do about it.
// Codes, titles and argument names are GE's, so that scripts and tools that know them keep working.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/error.h"

namespace atc {

struct ErrorEntry {
  std::string_view code;      // "E10016"; the table is sorted by it
  std::string_view title;     // "Invalid_Argument", printed before the code
  std::string_view args;      // argument names in GE's order, separated by commas
  std::string_view text;      // the message, with arguments as {name}
  std::string_view cause;     // never empty
  std::string_view solution;  // never empty; a thrower that knows more gives its own
};

std::span<const ErrorEntry> ErrorCatalogue();

// Null for a code that has no entry.
const ErrorEntry* FindErrorEntry(std::string_view code);

// The text of the entry with the arguments in place; a missing argument reads "?". Arguments that the entry does not
// name are appended as " (name: value)", a "reason" as ": value.", so that nothing a thrower knew is lost. A code
// without entry gives its arguments alone.
std::string MessageText(const Diagnostic& diagnostic);

// What to do: the diagnostic's own cure, else the solution of its entry.
std::string SolutionText(const Diagnostic& diagnostic);

}  // namespace atc
