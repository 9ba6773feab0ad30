// What the documents of omrun are made of.
#pragma once

#include "cmd/docs/program.h"

namespace atc::omrun {

docs::Program OmrunDocument();

}  // namespace atc::omrun
