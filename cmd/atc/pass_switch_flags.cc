#include "cmd/atc/pass_switch_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cmd/atc/config_file.h"
#include "cmd/atc/text.h"
#include "compiler/ir/nearest_names.h"
#include "compiler/pipeline.h"

namespace atc::cli {
namespace {

constexpr std::string_view kAll = "ALL";
// What atc adds to every list of switches by itself; it names no pass.
constexpr std::string_view kNoPass = "forbidden_close_pass";
// The passes behind --oo_constant_folding and --oo_dead_code_elimination.
constexpr std::pair<std::string_view, std::string_view> kOwnFlags[] = {
    {"oo_constant_folding", "ConstantFoldingPass"},
    {"oo_constant_folding", "DimensionComputePass"},
    {"oo_constant_folding", "ReplaceWithEmptyConstPass"},
    {"oo_dead_code_elimination", "CondRemovePass"},
    {"oo_dead_code_elimination", "PrunePass"}};
// Passes after which a tensor is there in 8 bits alone, and not as it was before it was quantised.
constexpr const char* kHideQuantized[] = {"RaiseQuantizePass",          "CancelQuantizePass",
                                          "QuantizedProductFusionPass", "QuantizedPoolingFusionPass",
                                          "QuantizedSoftmaxFusionPass", "QuantizedElementwiseFusionPass"};
constexpr std::pair<std::string_view, FusionKind> kHeads[] = {{"GraphFusion", FusionKind::kGraph},
                                                              {"UBFusion", FusionKind::kUb}};

std::optional<bool> OnOrOff(std::string_view word) {
  if (word == "on") return true;
  if (word == "off") return false;
  return std::nullopt;
}

// "Pass:on" cut in two; nullopt where it is not that.
std::optional<std::pair<std::string, bool>> Switched(std::string_view item) {
  const size_t colon = item.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view name = Trim(item.substr(0, colon));
  const auto on = OnOrOff(Trim(item.substr(colon + 1)));
  if (name.empty() || !on) return std::nullopt;
  return std::pair(std::string(name), *on);
}

void ReadHead(const std::string& path, const std::string& head, FusionKind kind, const nlohmann::json& items,
              PassSwitches* switches) {
  if (!items.is_object()) throw BadItem(path, head, AsFound(items) + " is no JSON object of passes");
  for (const auto& [name, value] : items.items()) {
    const auto on = value.is_string() ? OnOrOff(value.get_ref<const std::string&>()) : std::nullopt;
    if (!on) {
      throw BadItem(path, head + "." + name,
                    fmt::format("its value is {}, neither \"on\" nor \"off\"", AsFound(value)));
    }
    if (name == kAll) {
      switches->SetAll(kind, *on);
    } else {
      switches->Set(name, *on);
    }
  }
}

void ReadJson(const std::string& path, PassSwitches* switches) {
  const nlohmann::json json = ReadConfigObject(path);
  const auto found = json.find("Switch");
  if (found == json.end() || !found->is_object()) {
    throw BadItem(path, "Switch",
                  found == json.end() ? "the object of this name is missing" : AsFound(*found) + " is no JSON object");
  }
  for (const auto& [head, items] : found->items()) {
    const auto* row =
        std::find_if(std::begin(kHeads), std::end(kHeads), [&](const auto& h) { return h.first == head; });
    if (row == std::end(kHeads)) throw BadItem(path, head, "the groups of passes are GraphFusion and UBFusion");
    ReadHead(path, head, row->second, items, switches);
  }
}

void ReadLines(const std::string& path, PassSwitches* switches) {
  for (const ConfigLine& line : ReadConfigLines(path)) {
    const auto switched = Switched(line.text);
    if (!switched) {
      throw BadItem(path, fmt::format("line {}", line.number),
                    fmt::format("'{}' is not \"PassName:on\" or \"PassName:off\"", line.text));
    }
    if (switched->first == kAll) {
      for (const auto& [head, kind] : kHeads) switches->SetAll(kind, switched->second);
    } else {
      switches->Set(switched->first, switched->second);
    }
  }
}

// Names of passes that are none here: each by itself where another was meant, all others together, since switch files of
// other compilers name many.
void WarnUnknown(const PassSwitches& switches, Diagnostics* warnings) {
  std::vector<std::string_view> known;
  for (const PassInfo& pass : KnownPasses()) known.push_back(pass.name);
  std::vector<std::string> others;
  for (const std::string& name : switches.Names()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string meant = DidYouMean(name, known);
    if (meant.empty()) {
      others.push_back(name);
      continue;
    }
    warnings->Warn("W10001", {{"parameter", "the switch of the pass " + name},
                              {"reason", "There is no pass of this name here. " + meant}});
  }
  if (others.empty()) return;
  const bool one = others.size() == 1;
  warnings->Warn(
      "W10001", {{"parameter", fmt::format("the switch{} of the pass{} {}", one ? "" : "es", one ? "" : "es",
                                           fmt::join(others, ", "))},
                 {"reason", one ? "There is no pass of this name here." : "There are no passes of these names here."}});
}

}  // namespace

void ReadFusionSwitches(const std::string& path, PassSwitches* switches) {
  const std::string text = ReadConfigText(path);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return;
  text[first] == '{' ? ReadJson(path, switches) : ReadLines(path, switches);
}

void ParseOptimizationSwitch(std::string_view text, PassSwitches* switches) {
  for (std::string_view item : Split(text, ';')) {
    if (Trim(item).empty() && item.data() + item.size() == text.data() + text.size()) continue;  // after the last ';'
    const auto switched = Switched(item);
    if (!switched) {
      throw Error("E10001", {{"value", std::string(text)},
                             {"parameter", "--optimization_switch"},
                             {"reason", fmt::format("'{}' is not \"PassName:on\" or \"PassName:off\".", item)}});
    }
    if (switched->first != kNoPass) switches->Set(switched->first, switched->second);
  }
}

PassSwitches PassSwitchesOf(const FlagValues& flags, Diagnostics* warnings) {
  PassSwitches switches;
  if (flags.Get("oo_level") == "O1") {
    for (const auto& [head, kind] : kHeads) switches.SetAll(kind, false);
    for (const PassInfo& pass : KnownPasses()) {
      if (pass.kind == FusionKind::kNone && pass.level > OoLevel::kO1) switches.Set(pass.name, false);
    }
  }
  if (flags.IsSet("fusion_switch_file")) ReadFusionSwitches(flags.Get("fusion_switch_file"), &switches);
  for (const auto& [flag, pass] : kOwnFlags) {
    if (flags.IsSet(flag)) switches.Set(pass, flags.Get(flag) == "true");
  }
  if (flags.Get("quant_dumpable") == "1") {
    for (const char* pass : kHideQuantized) switches.Set(pass, false);
  }
  if (flags.IsSet("optimization_switch")) ParseOptimizationSwitch(flags.Get("optimization_switch"), &switches);
  WarnUnknown(switches, warnings);
  return switches;
}

}  // namespace atc::cli
