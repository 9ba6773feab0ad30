// Files that flags name: read whole, cut into lines or parsed as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/error.h"

namespace atc::cli {

// A line that says something: without blanks at its ends, its comment ('#' at the start or after a blank, to the end)
// and its line break.
struct ConfigLine {
  int number = 0;  // from 1
  std::string text;
};

// The bytes of the file. E21001 where it cannot be read, E13015 where it is larger than 64 MB.
std::string ReadConfigText(const std::string& path);

// The lines that are not empty.
std::vector<ConfigLine> ReadConfigLines(const std::string& path);

// E21002 where the text is no JSON, or its top level no object.
nlohmann::json ReadConfigObject(const std::string& path);

// A value as messages show it: its JSON, cut where it is long.
std::string AsFound(const nlohmann::json& value);

// E20003: `item` of the file is wrong.
Error BadItem(const std::string& path, std::string item, std::string reason, std::string cure = "");

}  // namespace atc::cli
