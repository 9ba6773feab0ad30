// What a model says of itself, before or without loading it.
#pragma once

#include "backend/executor/model.h"
#include "compiler/om/om_model.h"

namespace atc {

// Inputs are the Data nodes by index, outputs what NetOutput receives.
ModelInfo DescribeModel(const OmModel& model);

// The name of the fast kernel that may serve operators of this type, or "reference". A literal.
std::string_view FastKernelName(std::string_view op_type);

}  // namespace atc
