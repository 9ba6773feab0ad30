// Where operators are placed, for whoever lists them.
#pragma once

#include <string>
#include <string_view>

namespace atc {

// The name of the engine on which operators of this type are placed by default; empty where the type is unknown.
std::string EngineOf(std::string_view op_type);

}  // namespace atc
