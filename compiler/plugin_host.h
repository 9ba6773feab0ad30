// What user passes are lent: options by their keys in GE, and dumps.
#pragma once

#include "compiler/dump/dumper.h"
#include "compiler/ir/options.h"
#include "plugins/sdk/pass_host.h"

namespace atc {

// `dumper` and `journal` must live as long as the result.
PassHost MakePassHost(const CompileOptions& options, const DumpEnvironment& environment, Dumper* dumper,
                      Journal* journal);

}  // namespace atc
