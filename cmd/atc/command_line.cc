#include "cmd/atc/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cctype>

#include "cmd/atc/flag_faults.h"
#include "compiler/ir/error.h"
#include "compiler/ir/nearest_names.h"

namespace atc::cli {
namespace {

bool IsOneOf(std::string_view value, std::string_view list) {
  const auto words = Words(list);
  return std::find(words.begin(), words.end(), value) != words.end();
}

// Flags that change what the program prints and nothing else.
constexpr std::string_view kSaysNothingOfTheModel =
    "help version explain list_ops summary log display_model_info check_om gen_op_project stream_report stages "
    "explain_node format_report precision_report report sample_inputs bisect diff";

std::string Dashed(const std::vector<const Flag*>& flags, std::string_view separator) {
  std::vector<std::string> names;
  for (const Flag* flag : flags) names.push_back(fmt::format("--{}", flag->name));
  return fmt::format("{}", fmt::join(names, separator));
}

std::string Hint(std::string_view name, const std::vector<const Flag*>& candidates) {
  if (candidates.size() > 1) return fmt::format("\n       it may stand for {}", Dashed(candidates, ", "));
  std::vector<std::string_view> names;
  for (const Flag& flag : FlagTable()) {
    if (flag.group != Group::kHidden) names.push_back(flag.name);
  }
  std::vector<const Flag*> nearest;
  for (std::string_view near : NearestNames(name, names)) nearest.push_back(FindFlag(near));
  return nearest.empty() ? "" : fmt::format("\n       did you mean {}?", Dashed(nearest, " or "));
}

// The flag of that name, or the only one that begins so.
const Flag& Resolve(const std::string& name) {
  if (name == "h") return *FindFlag("help");
  if (const Flag* flag = FindFlag(name)) return *flag;
  std::vector<const Flag*> candidates;
  for (const Flag& flag : FlagTable()) {
    if (!flag.own && flag.name.starts_with(name)) candidates.push_back(&flag);
  }
  if (candidates.size() == 1) return *candidates[0];
  throw LexicalError(fmt::format("ERROR: unknown command line flag '{}'{}", name, Hint(name, candidates)));
}

// The flag that a word after --help stands for, written as on a command line or without its dashes: its name, or what
// only one begins with; null: none.
const Flag* HelpTopic(std::string word) {
  constexpr size_t kShortest = 3;  // of a beginning: shorter ones are words for true and false
  word.erase(0, std::min(word.find_first_not_of('-'), word.size()));
  std::replace(word.begin(), word.end(), '-', '_');
  if (const Flag* flag = FindFlag(word)) return flag;
  if (word.size() < kShortest) return nullptr;
  const Flag* found = nullptr;
  for (const Flag& flag : FlagTable()) {
    if (flag.group == Group::kHidden || !flag.name.starts_with(word)) continue;
    if (found) return nullptr;
    found = &flag;
  }
  return found;
}

// For a word after --help that stands for no flag: those that begin so, else those that are written like it.
std::string HelpCure(const std::string& word) {
  std::vector<std::string_view> names, near;
  for (const Flag& flag : FlagTable()) {
    if (flag.group == Group::kHidden) continue;
    names.push_back(flag.name);
    if (flag.name.starts_with(word)) near.push_back(flag.name);
  }
  if (near.empty()) near = NearestNames(word, names);
  return near.empty() ? "" : fmt::format("Did you mean --help {}?", fmt::join(near, " or --help "));
}

// Empty where the word is neither true nor false.
std::string BoolOf(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (IsOneOf(word, "1 t true y yes")) return "true";
  return IsOneOf(word, "0 f false n no") ? "false" : "";
}

std::string SwitchValue(const Flag& flag, const std::string& given) {
  if (given.empty()) return "true";
  if (flag.rule == Rule::kHelp && HelpTopic(given)) return std::string(HelpTopic(given)->name);
  if (const std::string value = BoolOf(given); !value.empty()) return value;
  throw Error("E10003", {{"value", given},
                         {"parameter", std::string(flag.name)},
                         {"reason", flag.rule == Rule::kHelp
                                        ? "The value type must be [bool]: true or false; or it is the name of a flag."
                                        : "The value type must be [bool]: true or false."}},
              flag.rule == Rule::kHelp ? HelpCure(given) : "");
}

// Numbers may have zeros before them: "00" is 0.
std::string PlainNumber(const Flag& flag, std::string value) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto words = Words(flag.values);
  if (words.empty() || !std::all_of(words.begin(), words.end(), is_number) || !is_number(value)) return value;
  return value.erase(0, std::min(value.find_first_not_of('0'), value.size() - 1));
}

// Tells the first lines of the help, up to one that ends a sentence.
LexicalError MissingArgument(const Flag& flag) {
  std::string description(flag.help.substr(0, flag.help.find(".\n") + 1));
  if (description.empty()) description = flag.help;
  std::replace(description.begin(), description.end(), '\n', ' ');
  return LexicalError(
      fmt::format("ERROR: flag '{}' is missing its argument; flag description: {}", flag.name, description));
}

// --json without a name writes to the terminal, where that is of use; in the modes that atc has it for, it needs one.
bool MayBeBare(const Flag& flag, const FlagValues& values) {
  if (flag.own || values.Get("mode") == "6") return true;
  return std::any_of(FlagTable().begin(), FlagTable().end(),
                     [&](const Flag& action) { return action.own && values.Given(action.name); });
}

}  // namespace

std::string WordCure(const Flag& flag, std::string_view value, const std::vector<std::string_view>& words) {
  const auto lower = [](std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
  };
  // A word of the older or newer form of the flag.
  for (const Flag& other : FlagTable()) {
    const bool kin = other.name != flag.name && (other.name.starts_with(flag.name) || flag.name.starts_with(other.name));
    if (kin && IsOneOf(value, other.values)) return fmt::format("Did you mean --{}={}?", other.name, value);
  }
  const auto near = NearestNames(value, words);
  if (near.empty() || (value.size() < 3 && lower(near[0]) != lower(value))) return "";
  return fmt::format("Did you mean --{}={}?", flag.name, near[0]);
}

void CheckEarly(const Flag& flag, const std::string& value) {
  if (flag.values.empty() || IsOneOf(value, flag.values)) return;
  const std::string name(flag.name);
  switch (flag.rule) {
    case Rule::kFramework:
      throw Error("E10007", {{"parameter", name}, {"support", "0(Caffe) or 1(MindSpore) or 3(TensorFlow) or 5(Onnx)"}});
    case Rule::kLogLevel: throw Error("E10010", {{"loglevel", value}}, WordCure(flag, value, Words(flag.values)));
    case Rule::kZeroOne:
      throw Error("E10006", {{"value", value}, {"parameter", name}},
                  "It takes " + fmt::format("{}.", fmt::join(Words(flag.values), " or ")));
    case Rule::kOneOf: {
      auto words = Words(flag.values);
      std::sort(words.begin(), words.end());
      throw Error("E10001", {{"value", value},
                             {"parameter", "--" + name},
                             {"reason", fmt::format("The valid range is [{}].", fmt::join(words, "] ["))}},
                  WordCure(flag, value, Words(flag.values)));
    }
    default: return;
  }
}

const Flag& FlagValues::Row(std::string_view name) {
  const Flag* flag = FindFlag(name);
  assert(flag);
  return *flag;
}

std::string FlagValues::Canonical() const {
  std::string line = "atc";
  for (const Flag& flag : FlagTable()) {
    if (!IsSet(flag) || IsOneOf(flag.name, kSaysNothingOfTheModel)) continue;
    std::string value = Get(flag);
    if (IsPath(flag)) value.erase(0, value.rfind('/') + 1);
    line += fmt::format(" --{}={}", flag.name, value);
  }
  return line;
}

namespace {

// What the command line says; values that are wrong go into `faults` and are left out.
FlagValues Parse(std::span<const std::string> args, FlagFaults& faults) {
  FlagValues values;
  std::vector<const Flag*> bare;        // given without a value
  std::vector<std::string> positional;  // reported last, as getopt moves them to the end
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--") {
      positional.insert(positional.end(), args.begin() + i + 1, args.end());
      break;
    }
    if (arg.size() < 2 || arg[0] != '-') {
      positional.push_back(arg);
      continue;
    }
    const size_t dashes = arg[1] == '-' ? 2 : 1;
    const size_t equals = arg.find('=');
    std::string name = arg.substr(dashes, equals == std::string::npos ? equals : equals - dashes);
    std::replace(name.begin(), name.end(), '-', '_');
    if (name.empty()) {
      throw LexicalError("ERROR: input argument value is empty or command line format is invalid");
    }
    // One dash and one letter is a short option, of which there is only -h.
    if (dashes == 1 && arg.size() == 2 && name != "h") {
      throw LexicalError(fmt::format("ERROR: unknown command line flag '{}'", name));
    }
    const Flag& flag = Resolve(name);
    std::string value;
    if (equals != std::string::npos) {
      value = arg.substr(equals + 1);
    } else if (flag.rule == Rule::kHelp) {
      // A switch takes its true and false after '=' alone, a topic may follow.
      const std::string next = i + 1 < args.size() ? args[i + 1] : "";
      if (HelpTopic(next) || (!next.empty() && next[0] != '-' && BoolOf(next).empty())) value = args[++i];
    } else if (flag.rule != Rule::kSwitch) {
      const bool last = i + 1 == args.size();
      if (flag.bare && (last || (args[i + 1].size() > 1 && args[i + 1][0] == '-'))) {
        bare.push_back(&flag);
      } else if (last) {
        throw MissingArgument(flag);
      } else {
        value = args[++i];
      }
    }
    if (flag.pair) {
      if (i + 1 == args.size() || args[i + 1].starts_with("--")) throw MissingArgument(flag);
      value += kPairSeparator + args[++i];
    }
    faults.Try([&] {
      if (flag.rule == Rule::kSwitch || flag.rule == Rule::kHelp) value = SwitchValue(flag, value);
      value = PlainNumber(flag, std::move(value));
      CheckEarly(flag, value);
      values.Set(flag, std::move(value));
    });
  }
  for (const Flag* flag : bare) {
    if (!MayBeBare(*flag, values)) throw MissingArgument(*flag);
  }
  if (!positional.empty()) throw LexicalError(fmt::format("ERROR: Non-option parameter: {}", positional[0]));
  return values;
}

}  // namespace

FlagValues ParseCommandLine(std::span<const std::string> args) {
  FlagFaults faults;
  try {
    FlagValues values = Parse(args, faults);
    faults.ThrowIfAny();
    return values;
  } catch (const LexicalError&) {
    faults.ThrowIfAny();  // what was wrong before it
    throw;
  }
}

}  // namespace atc::cli
