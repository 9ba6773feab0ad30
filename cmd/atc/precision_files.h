// The files that ask for the precision of single operators. All throw E21001 (cannot be read), E13015 (too large), E21002
// (no JSON) and E20003 (an item, with its line).
#pragma once

#include <string>

#include "cmd/atc/command_line.h"
#include "compiler/ir/precision_options.h"

namespace atc::cli {

// --op_precision_mode: an .ini file with the sections [ByOpType] and [ByNodeName] of lines "Name=mode".
void ReadOpPrecisionMode(const std::string& path, PrecisionOptions* options);

// --modify_mixlist: {"black-list": {"to-add": [types], "to-remove": [types]}, "white-list": {...}}.
void ReadMixlist(const std::string& path, PrecisionOptions* options);

// --keep_dtype: a line a node, "OpType::Type" standing for all nodes of a type. E10003 where the prefix is misspelt.
void ReadKeepDtype(const std::string& path, PrecisionOptions* options);

// --customize_dtypes: lines "Name::InputDtype:dt0,dt1,OutputDtype:dt0" or "OpType::Type:InputDtype:..,OutputDtype:..";
// an empty type leaves that tensor as it is.
void ReadCustomDtypes(const std::string& path, PrecisionOptions* options);

// All of these as the flags give them.
PrecisionOptions PrecisionOptionsOf(const FlagValues& flags);

}  // namespace atc::cli
