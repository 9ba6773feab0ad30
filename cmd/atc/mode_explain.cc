// --explain: what an error code means and what to do, from the catalogue, without network.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cmd/atc/console.h"
#include "cmd/atc/old_codes.h"
#include "cmd/atc/run.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/ir/nearest_names.h"

namespace atc::cli {
namespace {

// "{opname}" of a template as "<opname>".
std::string Readable(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '{', '<');
  std::replace(out.begin(), out.end(), '}', '>');
  return out;
}

// "e10016", "10016" and "E10016" are one code.
std::string Normalised(std::string code) {
  for (char& c : code) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (code.size() == 5 && code.find_first_not_of("0123456789") == std::string::npos) code = "E" + code;
  return code;
}

nlohmann::ordered_json ToJson(const ErrorEntry& entry) {
  nlohmann::ordered_json json = {{"code", entry.code}, {"title", entry.title}};
  json["arguments"] = nlohmann::json::array();
  std::string_view args = entry.args;
  while (!args.empty()) {
    const size_t comma = std::min(args.find(','), args.size());
    json["arguments"].push_back(args.substr(0, comma));
    args.remove_prefix(std::min(comma + 1, args.size()));
  }
  json["message"] = Readable(entry.text);
  json["cause"] = Readable(entry.cause);
  json["solution"] = Readable(entry.solution);
  return json;
}

std::string ToText(const ErrorEntry& entry) {
  std::string out = fmt::format("{} {}\n\n    {}\n\n", entry.code, entry.title, Readable(entry.text));
  out += fmt::format("cause: {}\n", Readable(entry.cause));
  return out + fmt::format("cure:  {}\n", Readable(entry.solution));
}

Error UnknownCode(const std::string& code) {
  std::vector<std::string_view> codes;
  for (const ErrorEntry& entry : ErrorCatalogue()) codes.push_back(entry.code);
  for (const OldCode& old : OldCodes()) codes.push_back(old.code);
  const std::string hint = DidYouMean(code, std::span<const std::string_view>(codes));
  return Error("E10001", {{"value", code}, {"parameter", "--explain"}, {"reason", "No message has that code."}},
               hint.empty() ? "List all codes with atc --explain." : hint);
}

std::string All(bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const ErrorEntry& entry : ErrorCatalogue()) all.push_back(ToJson(entry));
    for (const OldCode& old : OldCodes()) all.push_back({{"code", old.code}, {"now", old.now}, {"message", old.what}});
    return all.dump(2) + "\n";
  }
  std::string out;
  for (const ErrorEntry& entry : ErrorCatalogue()) out += fmt::format("{}  {}\n", entry.code, Readable(entry.text));
  out += "\nOf older versions:\n";
  for (const OldCode& old : OldCodes()) out += fmt::format("{}  now {}: {}\n", old.code, old.now, old.what);
  return out;
}

}  // namespace

void Explain(Run& run) {
  const bool json = run.flags.Given("json");
  if (!run.flags.IsSet("explain")) return json ? GiveJson(run, All(true)) : run.console.Print(All(false));
  const std::string code = Normalised(run.flags.Get("explain"));
  const OldCode* old = FindOldCode(code);
  const ErrorEntry* entry = FindErrorEntry(old ? old->now : std::string_view(code));
  if (!entry) throw UnknownCode(code);
  if (json) {
    auto object = ToJson(*entry);
    if (old) object["formerly"] = old->code;
    return GiveJson(run, object.dump(2) + "\n");
  }
  const std::string before =
      old ? fmt::format("{} is a code of older versions: {}. Now it is {}.\n\n", old->code, old->what, old->now) : "";
  run.console.Print(before + ToText(*entry));
}

}  // namespace atc::cli
