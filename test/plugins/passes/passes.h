// What the test's own passes share.
#pragma once

#include <string>

#include "register_custom_pass.h"

inline std::string NameOf(const ge::GNode& node) {
  ge::AscendString name;
  node.GetName(name);
  return name.GetString();
}
