// What one library registers, put together by operator.
#pragma once

#include <string>
#include <vector>

#include "register/custom_operator.h"

namespace atc {

using OperatorRegistrations = std::vector<ge::CustomOperator::Data>;

// Loads the library and collects what its static objects and its entry function register, parts of one type added up, in
// the order of first mention. False with a reason where it cannot be loaded, throws, or describes one thing twice.
bool LoadOperators(const std::string& path, OperatorRegistrations* found, std::string* why);

}  // namespace atc
