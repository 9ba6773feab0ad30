// The list of cases that are not compared value by value.
#pragma once

#include <map>
#include <string>

namespace atc::backend_cases {

enum class Exemption { kNone, kRandom, kCodec };

// By the name of the case. Throws std::runtime_error on a line that is not "name kind reason".
std::map<std::string, Exemption> ReadExemptions(const std::string& path);

}  // namespace atc::backend_cases
