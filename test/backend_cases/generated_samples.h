// Models of one node made from the table of signatures alone: for operators that no backend case shows by itself.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "test/backend_cases/mutations.h"

namespace atc::backend_cases {

// For the newest version of each operator whose inputs may be tensors and which needs no graph: one model with the inputs
// that it requires, one with all; inputs of shape [2, 3], attributes that it requires of 1. Such a model need not make
// sense: like its mutations it may be refused, but not crash anything. Sorted by name.
std::vector<std::pair<std::string, Sample>> GeneratedSamples();

}  // namespace atc::backend_cases
