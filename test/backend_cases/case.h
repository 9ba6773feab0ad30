// Test cases of the ONNX backend suites: finding them and running one.
#pragma once

#include <string>
#include <vector>

#include "test/backend_cases/exempt.h"
#include "test/backend_cases/route.h"

namespace atc::backend_cases {

struct Case {
  std::string name;   // "node/test_abs", "light/light_vgg19"
  std::string model;  // path of the model
  std::string text = "";  // of a case that stands in a text file (written_cases.h), instead of the path
};

// All cases under `folder`, sorted by name: folders with a model.onnx, and models named light_*.onnx.
std::vector<Case> FindCases(const std::string& folder);

struct Outcome {
  // kRandom: passes by its statistics. kExempt: not run.
  enum Kind : char { kPass = 'P', kRandom = 'R', kExempt = 'E', kFail = 'F', kUnsupported = 'U' };
  Kind kind = kFail;
  std::string reason;
};

// Runs every data set of the case. Unsupported: an operator has no converter, definition or kernel.
Outcome RunCase(const Case& which, Route& route, Exemption exemption);

}  // namespace atc::backend_cases
