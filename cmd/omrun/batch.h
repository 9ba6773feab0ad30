// Samples joined along a dim for one run, and what comes out parted again.
#pragma once

#include <string>
#include <vector>

#include "cmd/omrun/signature.h"

namespace atc::omrun {

// The inputs as one of `batch` samples has them: dim 0 is the batch's part of the model's, or open. Inputs whose dim 0 is
// no multiple stay whole; if all do, that is an error. Throws RunError.
std::vector<TensorInfo> PartsOf(const std::vector<TensorInfo>& inputs, uint32_t batch);

// The tensors one after the other along dim 0; they are of one type and their other dims are equal, else RunError names
// the input.
Tensor Join(const std::vector<const Tensor*>& tensors, const std::string& name);

// The first `count` of `batch` equal parts along `axis`. Throws RunError naming the output where its dim there is no
// multiple of the batch.
std::vector<Tensor> Part(const Tensor& tensor, uint32_t batch, uint32_t axis, size_t count, const std::string& name);

}  // namespace atc::omrun
