// The checks of flag values that need no model, in atc's order: that order decides which single message a user sees.
#pragma once

#include <string>
#include <vector>

#include "cmd/atc/command_line.h"
#include "compiler/ir/error.h"
#include "compiler/ir/options.h"

namespace atc::cli {

// Checks that hold whatever the mode. Throws Error.
void CheckAlways(const FlagValues& flags);

// Everything for --mode=0 that needs no model, in order; throws the first Error. Notes go to `warnings`: flags that have no effect here.
// `writes`: an om, for which --output is needed.
CompileOptions CheckConversion(const FlagValues& flags, Diagnostics* warnings, bool writes = true);

// Throws E20101 where the chip of --soc_version is unknown or cannot compute as the precision mode says.
void CheckTargetFlags(const FlagValues& flags, const CompileOptions& options);

// Throws E10055 for a flag that would change the model and whose feature is not available: after all else is checked.
void RefuseUnavailable(const FlagValues& flags);

// The same as CheckConversion, and E10055, for a graph in memory: no flag may name its file or that of the om.
CompileOptions CheckGraphConversion(const FlagValues& flags, Diagnostics* warnings);

// The same for --singleop, whose output is a folder. Flags that say nothing of single operators are left aside.
CompileOptions CheckSingleOp(const FlagValues& flags, Diagnostics* warnings);

// The model for --mode=3.
struct PrecheckRequest {
  std::string model;
  bool tensorflow = false;  // else ONNX
};
PrecheckRequest CheckPrecheck(const FlagValues& flags);

// What --mode=1 or --mode=5 is to write as JSON.
struct ToJsonRequest {
  enum Source { kOm, kOnnx, kOnnxInferred, kTensorFlow, kTensorFlowInferred, kTextDump };
  Source source = kOm;
  std::string input;
  std::string json;
};
ToJsonRequest CheckToJson(const FlagValues& flags);

// The path of the om for --mode=6.
std::string CheckDisplay(const FlagValues& flags);

}  // namespace atc::cli
