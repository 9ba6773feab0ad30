#include "cmd/atc/precision_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "cmd/atc/config_file.h"
#include "cmd/atc/dtype_words.h"
#include "cmd/atc/text.h"
#include "compiler/ir/nearest_names.h"

namespace atc::cli {
namespace {

constexpr std::string_view kOpModes[] = {"high_precision",
                                         "high_performance",
                                         "super_performance",
                                         "keep_fp16",
                                         "enable_float_32_execution",
                                         "enable_hi_float_32_execution",
                                         "support_out_of_bound_index"};
constexpr std::string_view kByType = "[ByOpType]";
constexpr std::string_view kByName = "[ByNodeName]";
constexpr std::string_view kTypePrefix = "OpType::";
constexpr std::string_view kInputs = "InputDtype:";
constexpr std::string_view kOutputs = "OutputDtype:";

// By which the float types of tensors are asked for.
constexpr std::string_view kCustomWords[] = {"float32", "float16", "bfloat16"};

std::string Place(const ConfigLine& line) { return fmt::format("line {}", line.number); }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Whether the line begins with "OpType::", which is refused in another case.
bool HasTypePrefix(const ConfigLine& line, std::string_view flag) {
  if (line.text.starts_with(kTypePrefix)) return true;
  if (Lower(line.text).starts_with(Lower(kTypePrefix))) {
    throw Error("E10003",
                {{"value", line.text},
                 {"parameter", std::string(flag)},
                 {"reason", fmt::format("Line {}: the prefix of a type is spelt {}.", line.number, kTypePrefix)}});
  }
  return false;
}

std::set<std::string> TypeList(const std::string& path, const nlohmann::json& list, const std::string& key,
                               const std::string& name) {
  std::set<std::string> types;
  const std::string item = key + "." + name;
  if (!list.is_object()) throw BadItem(path, key, AsFound(list) + " is no JSON object");
  for (const auto& [other, value] : list.items()) {
    if (other != "to-add" && other != "to-remove") {
      throw BadItem(path, key + "." + other, "a list has \"to-add\" and \"to-remove\"");
    }
  }
  const auto found = list.find(name);
  if (found == list.end()) return types;
  if (!found->is_array()) throw BadItem(path, item, AsFound(*found) + " is no list of operator types");
  for (const auto& type : *found) {
    if (!type.is_string() || type.get_ref<const std::string&>().empty()) {
      throw BadItem(path, item, "its entry " + AsFound(type) + " is no operator type in quotation marks");
    }
    types.insert(type.get<std::string>());
  }
  return types;
}

std::vector<DataType> DtypeList(const std::string& path, const ConfigLine& line, std::string_view text) {
  std::vector<DataType> dtypes;
  for (std::string_view word : Split(text, ',')) {
    word = Trim(word);
    const DataType dtype = DtypeFromWord(word);
    if (!word.empty() && dtype == DT_UNDEFINED) {
      throw BadItem(
          path, Place(line),
          fmt::format("'{}' is no type; those that can be asked for are {}", word, fmt::join(kCustomWords, ", ")),
          DidYouMean(Lower(word), kCustomWords));
    }
    dtypes.push_back(dtype);
  }
  // What ends in an empty entry says nothing of it.
  while (!dtypes.empty() && dtypes.back() == DT_UNDEFINED) dtypes.pop_back();
  return dtypes;
}

}  // namespace

void ReadOpPrecisionMode(const std::string& path, PrecisionOptions* options) {
  std::map<std::string, std::string>* section = nullptr;
  for (const ConfigLine& line : ReadConfigLines(path)) {
    if (line.text.front() == ';') continue;  // a comment in the manner of .ini files
    if (line.text.front() == '[') {
      if (line.text != kByType && line.text != kByName) {
        throw BadItem(path, Place(line),
                      fmt::format("'{}' is no section; they are {} and {}", line.text, kByType, kByName));
      }
      section = line.text == kByType ? &options->mode_by_type : &options->mode_by_name;
      continue;
    }
    const size_t equals = line.text.rfind('=');
    const std::string_view name = Trim(std::string_view(line.text).substr(0, equals));
    if (section == nullptr || equals == std::string::npos || name.empty()) {
      throw BadItem(path, Place(line),
                    fmt::format("'{}' is no \"Name=mode\" in a section {} or {}", line.text, kByType, kByName));
    }
    const std::string_view mode = Trim(std::string_view(line.text).substr(equals + 1));
    if (std::find(std::begin(kOpModes), std::end(kOpModes), mode) == std::end(kOpModes)) {
      const std::string meant = DidYouMean(mode, kOpModes);
      throw BadItem(path, Place(line),
                    fmt::format("'{}' is no mode; the modes are {}", mode, fmt::join(kOpModes, ", ")), meant);
    }
    section->insert_or_assign(std::string(name), std::string(mode));
  }
}

void ReadMixlist(const std::string& path, PrecisionOptions* options) {
  const nlohmann::json json = ReadConfigObject(path);
  const std::pair<const char*, MixlistChange*> lists[] = {{"black-list", &options->black_list},
                                                          {"white-list", &options->white_list}};
  for (const auto& [key, value] : json.items()) {
    // The grey list is what is in neither: to enter it is to leave both.
    if (key != "black-list" && key != "white-list" && key != "gray-list") {
      throw BadItem(path, key, "the lists are \"black-list\", \"white-list\" and \"gray-list\"");
    }
  }
  for (const auto& [key, change] : lists) {
    const auto found = json.find(key);
    if (found == json.end()) continue;
    change->to_add = TypeList(path, *found, key, "to-add");
    change->to_remove = TypeList(path, *found, key, "to-remove");
  }
  if (const auto found = json.find("gray-list"); found != json.end()) {
    for (const std::string& type : TypeList(path, *found, "gray-list", "to-add")) {
      for (const auto& [key, change] : lists) change->to_remove.insert(type);
    }
    TypeList(path, *found, "gray-list", "to-remove");
  }
  for (const std::string& type : options->black_list.to_add) {
    if (options->white_list.to_add.contains(type)) {
      throw BadItem(path, type, "it is to be added to the black list and to the white list");
    }
  }
  for (const auto& [key, change] : lists) {
    for (const std::string& type : change->to_add) {
      if (!change->to_remove.contains(type)) continue;
      throw BadItem(
          path, type,
          fmt::format("it is to be added to the {} and to leave it, by \"to-remove\" or for the gray-list", key));
    }
  }
}

void ReadKeepDtype(const std::string& path, PrecisionOptions* options) {
  for (const ConfigLine& line : ReadConfigLines(path)) {
    if (!HasTypePrefix(line, "keep_dtype")) {
      options->keep_names.insert(line.text);
      continue;
    }
    const std::string_view type = Trim(std::string_view(line.text).substr(kTypePrefix.size()));
    if (type.empty()) throw BadItem(path, Place(line), "a type is missing after OpType::");
    options->keep_types.insert(std::string(type));
  }
}

void ReadCustomDtypes(const std::string& path, PrecisionOptions* options) {
  for (const ConfigLine& line : ReadConfigLines(path)) {
    const bool by_type = HasTypePrefix(line, "customize_dtypes");
    const std::string_view text = std::string_view(line.text).substr(by_type ? kTypePrefix.size() : 0);
    const size_t inputs = text.find(kInputs);
    const size_t outputs = text.find(kOutputs);
    // A type is followed by ':', a name by '::'.
    const std::string_view joint = by_type ? ":" : "::";
    const size_t first = std::min(inputs, outputs);
    if (first == std::string_view::npos || first <= joint.size() ||
        text.substr(first - joint.size(), joint.size()) != joint ||
        (inputs != std::string_view::npos && outputs < inputs)) {
      throw BadItem(path, Place(line),
                    fmt::format("'{}' is no \"Name::InputDtype:dt0,dt1,OutputDtype:dt0\"", line.text));
    }
    CustomDtypes custom;
    if (inputs != std::string_view::npos) {
      const size_t begin = inputs + kInputs.size();
      custom.inputs =
          DtypeList(path, line, text.substr(begin, outputs == std::string_view::npos ? outputs : outputs - begin));
    }
    if (outputs != std::string_view::npos) {
      custom.outputs = DtypeList(path, line, text.substr(outputs + kOutputs.size()));
    }
    auto& map = by_type ? options->custom_by_type : options->custom_by_name;
    map.insert_or_assign(std::string(text.substr(0, first - joint.size())), std::move(custom));
  }
}

PrecisionOptions PrecisionOptionsOf(const FlagValues& flags) {
  constexpr std::pair<std::string_view, void (*)(const std::string&, PrecisionOptions*)> kFiles[] = {
      {"op_precision_mode", ReadOpPrecisionMode},
      {"modify_mixlist", ReadMixlist},
      {"keep_dtype", ReadKeepDtype},
      {"customize_dtypes", ReadCustomDtypes}};
  PrecisionOptions options;
  for (const auto& [flag, read] : kFiles) {
    if (flags.IsSet(flag)) read(flags.Get(flag), &options);
  }
  options.clip_weights = flags.Get("is_weight_clip") != "0";
  if (flags.IsSet("op_select_implmode")) {
    constexpr std::string_view kForAll = "_for_all";
    options.implmode = flags.Get("op_select_implmode");
    if (options.implmode.ends_with(kForAll)) {
      options.implmode.erase(options.implmode.size() - kForAll.size());
      if (!flags.IsSet("optypelist_for_implmode")) options.implmode_types.insert("*");  // every type
    }
    const std::string types = flags.Get("optypelist_for_implmode");
    for (const std::string_view type : Split(types, ',')) {
      if (!Trim(type).empty()) options.implmode_types.insert(std::string(Trim(type)));
    }
  }
  return options;
}

}  // namespace atc::cli
