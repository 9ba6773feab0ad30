// --sample_inputs.
#pragma once

#include <string>
#include <vector>

#include "compiler/sample_inputs.h"

namespace atc::cli {

// "name:file.npy;name2:0~255;name3:1". Throws Error E10001 for what is not of that form.
std::vector<SampleInput> ParseSampleInputs(const std::string& text);

}  // namespace atc::cli
