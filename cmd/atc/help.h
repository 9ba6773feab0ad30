// The text of --help, made from the flag table.
#pragma once

#include <string>

namespace atc::cli {

std::string HelpText();

}  // namespace atc::cli
