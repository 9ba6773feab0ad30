// GE's options that bear on streams, by their keys.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/ir/options.h"
#include "compiler/streams/logical_streams.h"

namespace atc {

// Fills what the command line, --raw_ge_options (CompileOptions::ge_options) and the environment say; see the table in
// stream_options.cc. Throws Error E10001 for a value that is none.
StreamOptions ReadStreamOptions(const CompileOptions& options);

// The keys that are read here.
std::vector<std::string_view> StreamOptionKeys();

}  // namespace atc
