#include "cmd/atc/config_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cmd/atc/paths.h"
#include "cmd/atc/text.h"

namespace atc::cli {
namespace {

constexpr std::uintmax_t kMaxBytes = 64 << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::string ReadConfigText(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > kMaxBytes) {
    throw Error("E13015", {{"file", path}, {"size", std::to_string(size)}, {"maxsize", std::to_string(kMaxBytes)}});
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || (size > 0 && !(text << file.rdbuf()))) {
    throw Error("E21001", {{"file", path}, {"reason", ErrnoText(errno)}});
  }
  std::string content = std::move(text).str();
  if (content.starts_with(kByteOrderMark)) content.erase(0, kByteOrderMark.size());
  return content;
}

std::vector<ConfigLine> ReadConfigLines(const std::string& path) {
  const std::string text = ReadConfigText(path);
  std::vector<ConfigLine> lines;
  int number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    // Names may hold a '#', but not after a blank.
    size_t comment = line.find('#');
    while (comment != std::string_view::npos && comment > 0 && line[comment - 1] != ' ' && line[comment - 1] != '\t') {
      comment = line.find('#', comment + 1);
    }
    line = line.substr(0, comment);
    while (!line.empty() && (line.back() == '\r' || line.back() == '\t' || line.back() == ' ')) line.remove_suffix(1);
    while (!line.empty() && (line.front() == '\t' || line.front() == ' ')) line.remove_prefix(1);
    if (!line.empty()) lines.push_back({number, std::string(line)});
  }
  return lines;
}

nlohmann::json ReadConfigObject(const std::string& path) {
  nlohmann::json json;
  // Of two values for one key the parser would take the last without a word.
  std::vector<std::set<std::string>> keys;
  const auto see = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    if (event == nlohmann::json::parse_event_t::object_start) keys.emplace_back();
    if (event == nlohmann::json::parse_event_t::object_end) keys.pop_back();
    if (event == nlohmann::json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      throw BadItem(path, value.get<std::string>(), "an object has it twice");
    }
    return true;
  };
  try {
    json = nlohmann::json::parse(ReadConfigText(path), see);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error("E21002", {{"file", path}, {"reason", fmt::format("it is no JSON at byte {}", error.byte)}});
  }
  if (!json.is_object()) throw Error("E21002", {{"file", path}, {"reason", "its top level is no JSON object"}});
  return json;
}

std::string AsFound(const nlohmann::json& value) {
  constexpr size_t kLongest = 60;
  const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

Error BadItem(const std::string& path, std::string item, std::string reason, std::string cure) {
  return Error("E20003", {{"item", std::move(item)}, {"file", path}, {"reason", std::move(reason)}}, std::move(cure));
}

}  // namespace atc::cli
