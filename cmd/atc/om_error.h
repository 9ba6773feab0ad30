// What is wrong with the file given with --om, in the words of that flag.
#pragma once

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"

namespace atc::cli {

// E10001 of --om, with what was found (an E10041) as its trace. Other errors stay what they are.
inline Error InvalidOm(const std::string& path, const Error& found) {
  if (found.diagnostic().code != "E10041") return found;
  Error error("E10001", {{"value", path}, {"parameter", "--om"}, {"reason", "Invalid om file."}},
              "Give an om that is whole, or the framework of the model with --framework.");
  error.At("E10041: " + MessageText(found.diagnostic()));
  return error;
}

}  // namespace atc::cli
