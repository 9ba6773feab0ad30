// Copies between a view and contiguous memory.
#pragma once

#include "backend/aclnn/objects.h"

namespace atc::aclnn {

// `storage`: the start of the view's storage. Types below a byte only where the view is contiguous.
void CopyFromView(const View& view, const void* storage, void* contiguous);
void CopyToView(const View& view, const void* contiguous, void* storage);

}  // namespace atc::aclnn
