// From argv to flag values, by the lexical rules of getopt_long that atc follows: "--flag=value" and "--flag value",
// one dash for two ("-flag"), '-' for '_' inside a name, unambiguous prefixes, and the last of two values winning.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/atc/flag_table.h"

namespace atc::cli {

// The values that the user gave, by flag.
class FlagValues {
 public:
  FlagValues() : values_(FlagTable().size()) {}

  void Set(const Flag& flag, std::string value) { values_[Index(flag)] = std::move(value); }
  void Clear(const Flag& flag) { values_[Index(flag)].reset(); }
  // Given, with whatever value.
  bool Given(std::string_view name) const { return values_[Index(Row(name))].has_value(); }
  // Given, and not as an empty text.
  bool IsSet(std::string_view name) const { return IsSet(Row(name)); }
  bool IsSet(const Flag& flag) const {
    const auto& value = values_[Index(flag)];
    return value && !value->empty();
  }
  // The value given, else the default.
  std::string Get(std::string_view name) const { return Get(Row(name)); }
  std::string Get(const Flag& flag) const { return values_[Index(flag)].value_or(std::string(flag.fallback)); }

  // Options that no flag stands for, by GE's key: from --raw_ge_options.
  void SetRaw(std::string key, std::string value) { raw_[std::move(key)] = std::move(value); }
  const std::map<std::string, std::string>& raw() const { return raw_; }

  // "atc --model=m.onnx --framework=5 ...": the flags given that matter to the model, in table order, paths cut to
  // their base names, so that it is the same however and from wherever the program was called.
  std::string Canonical() const;

 private:
  static size_t Index(const Flag& flag) { return static_cast<size_t>(&flag - FlagTable().data()); }
  static const Flag& Row(std::string_view name);

  std::vector<std::optional<std::string>> values_;
  std::map<std::string, std::string> raw_;
};

// A command line that cannot be read; what() is the line for the terminal.
class LexicalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The flag with the legal word that is nearest; empty, which leaves the catalogue's solution, where none is near. One or two
// letters are near to what differs in case alone.
std::string WordCure(const Flag& flag, std::string_view value, const std::vector<std::string_view>& words);

// The early rule of one flag: E10001, E10006, E10007, E10010.
void CheckEarly(const Flag& flag, const std::string& value);

// Reads the arguments after the program name and checks the early rules. Throws atc::Error for values that are wrong, all
// that come before what cannot be read at all; LexicalError for the form of the line where no value is wrong before it.
FlagValues ParseCommandLine(std::span<const std::string> args);

}  // namespace atc::cli
