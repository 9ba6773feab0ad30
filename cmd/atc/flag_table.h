// The flags of atc as data: one row a flag. Adding a flag is adding a row in flag_table.cc, and reading its value
// where it matters.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atc::cli {

// What a value must be, and which error says that it is not. Early rules are checked while the command line is read
// (whatever the mode), late ones in the order of the conversion's checks.
enum class Rule {
  kAny,            // text; what reads it checks it
  kSwitch,         // --flag alone, or --flag=WORD with a word for true or false; E10003
  kHelp,           // the same, or the name of a flag
  kOneOf,          // early: a word of the list; E10001
  kFramework,      // early: a word of the list; E10007
  kLogLevel,       // early: a word of the list; E10010
  kZeroOne,        // early: a word of the list, most often 0 or 1; E10006
  kLateZeroOne,    // late: 0 or 1; E10006
  kLateTrueFalse,  // late: true or false; E10005
  kLateOneOf,      // late: a word of the list; E10001
  kInputFile,      // late: a file that can be read; E10001
  kOutputFile,     // late: a file that can be made; E10001, E10022
  kFolder,         // late: a path of legal characters; E10001
};

enum class Group { kGeneral, kInput, kOutput, kTarget, kFeature, kModelTuning, kOperatorTuning, kDebug, kHidden };

// The modes in which a flag is of use, as bits.
enum Modes : unsigned { kConvert = 1, kToJson = 2, kDisplay = 4, kEvery = 7 };

// What this version makes of a flag.
enum class Effect {
  kUsed,
  kHolds,    // what it asks for is always so
  kNone,     // without influence here: another value than the default gives a warning
  kRefused,  // would change the result and is not supported: another value than the default gives E10055
};

struct Flag {
  std::string_view name;
  Group group;
  unsigned modes;
  int priority;  // 0: in every script, 1: common, 2: rare, 3: of use with the vendor's hardware or tools only
  Effect effect;
  std::string_view ge_option;  // key in GE's option maps; empty: only the command line has it
  Rule rule;
  std::string_view values;    // legal words, separated by blanks; empty: free text
  std::string_view fallback;  // the default
  std::string_view help;      // lines, the first of which stands alone
  // A piece of a command line; empty where the legal words say enough.
  std::string_view example = {};
  // atc has no such flag: its name is given in full, so that atc's prefixes stay what they are.
  bool own = false;
  // The value may be left out, where nothing or another flag follows.
  bool bare = false;
  // Two values, the second as the next argument: "--diff a b".
  bool pair = false;
};

// Between the two values of a pair.
inline constexpr char kPairSeparator = '\n';

// In the order of the help.
std::span<const Flag> FlagTable();

// Null when there is no such flag.
const Flag* FindFlag(std::string_view name);

// Needs no value.
bool IsSwitch(const Flag& flag);

// The words of a blank-separated list.
std::vector<std::string_view> Words(std::string_view list);

// True where the value is what the flag has anyway; a list ("false,false") is when each of its words is.
bool IsDefault(const Flag& flag, std::string_view value);

// True for flags whose value is a path; their values are cut to the base name in what goes into the om.
bool IsPath(const Flag& flag);

}  // namespace atc::cli
