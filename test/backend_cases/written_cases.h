// Cases that stand in a text file: one operator or one motif each, in the textual form of ONNX or as a GraphDef.
#pragma once

#include <string>
#include <vector>

#include "test/backend_cases/case.h"
#include "test/backend_cases/case_mix.h"

namespace atc::backend_cases {

// In the order of the file, named "written/<name>". Throws std::runtime_error where the file cannot be read.
std::vector<Case> ReadWrittenCases(const std::string& path);

// Throws Error, or std::exception, where the text is no model or the model cannot be evaluated.
LoadedCase LoadWrittenCase(const Case& which);

}  // namespace atc::backend_cases
