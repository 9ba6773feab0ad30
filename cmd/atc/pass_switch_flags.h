// Which passes the flags switch: --oo_level and its kin, --fusion_switch_file, --optimization_switch.
#pragma once

#include <string>
#include <string_view>

#include "cmd/atc/command_line.h"
#include "compiler/ir/error.h"
#include "compiler/ir/pass_switches.h"

namespace atc::cli {

// A switch file, in either syntax: lines "Pass:on" or "Pass:off", or JSON
// {"Switch": {"GraphFusion": {"ALL": "off", "PassA": "on"}, "UBFusion": {...}}}.
// Throws E21001 (cannot be read), E21002 (neither syntax), E20003 (an item of it).
void ReadFusionSwitches(const std::string& path, PassSwitches* switches);

// "PassA:on;PassB:off". Throws E10001.
void ParseOptimizationSwitch(std::string_view text, PassSwitches* switches);

// What all of these flags come to; of two that name one pass --optimization_switch wins over --oo_*, and these over the
// file. Names that no pass has give a warning.
PassSwitches PassSwitchesOf(const FlagValues& flags, Diagnostics* warnings);

}  // namespace atc::cli
