// The flags of omrun as data: one row a flag. options.cc binds each to what it sets.
#pragma once

#include <span>
#include <string_view>

namespace atc::omrun {

// What the value is; a shell offers files and folders accordingly.
enum class Takes { kNothing, kText, kFile, kNamedFile, kFolder, kWord };

struct Flag {
  std::string_view name;   // without dashes
  std::string_view group;  // a title
  Takes takes;
  std::string_view meta;   // what stands for the value: "FILE"; empty for kNothing
  std::string_view words;  // legal values for kWord, separated by blanks
  std::string_view help;
  std::string_view example;  // a piece of a command line; may be empty
  std::string_view aliases = "";  // names that other runners give it, as "--iterations,-l"
};

// In the order of the help.
std::span<const Flag> FlagTable();

// Null when there is no such flag.
const Flag* FindFlag(std::string_view name);

// What the help says before and after the flags.
struct HelpText {
  std::string_view description;
  std::string_view footer;
};
HelpText HelpFrame();

}  // namespace atc::omrun
