// The flags of omrun as data: one row a flag. options.cc binds each to what it sets.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atc::omrun {

// What the value is; a shell offers files and folders accordingly. A switch stands alone or takes true or false.
enum class Takes { kNothing, kSwitch, kText, kFile, kNamedFile, kFolder, kWord };

struct Flag {
  std::string_view name;   // without dashes
  std::string_view group;  // a title
  Takes takes;
  std::string_view meta;   // what stands for the value: "FILE"; empty for kNothing and kSwitch
  std::string_view words;  // legal values for kWord, separated by blanks
  std::string_view help;
  std::string_view example;  // a piece of a command line; may be empty
  std::string_view aliases = "";  // names that other runners give it, as "--iterations,-l"
  std::string_view opposites = "";  // of a switch: names of others that turn it off
};

// In the order of the help.
std::span<const Flag> FlagTable();

// Null when there is no such flag.
const Flag* FindFlag(std::string_view name);

// What the help says before and after the flags.
struct HelpText {
  std::string_view description;
  std::string footer;
};
HelpText HelpFrame();

}  // namespace atc::omrun
