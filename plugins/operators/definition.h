// From what a plugin registers to definitions of the compiler, and back in calls.
#pragma once

#include <string>

#include "compiler/ir/op_def.h"
#include "compiler/ir/source_mapping.h"
#include "register/custom_operator.h"

namespace atc {

// Empty where the registration is one that can be used, else what is wrong with it.
std::string FaultOf(const ge::CustomOperator::Data& custom);

// Whether it defines an operator; else it only maps source operators to one that is there.
bool DefinesOperator(const ge::CustomOperator::Data& custom);

// The definition, whose inference and kernel call the plugin. `library` is named in errors of these. Called once for a
// type; what it needs stays in memory for the life of the process.
OpDef DefineOperator(const ge::CustomOperator::Data& custom, const std::string& library);

SourceMapping MapSource(const ge::CustomOperator::Source& source, Name type, const std::string& library);

}  // namespace atc
