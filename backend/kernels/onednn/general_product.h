// The general matrix product that some of oneDNN's primitives call. It makes its code when it is called first, which takes
// as long as many runs do: kernels have it called while they are made.
#pragma once

#include "backend/kernels/onednn/engine.h"

namespace atc::kernels {

// Has all code there that runs of this primitive will use, whose source is of type f32, s8 or u8.
void MakeReady(const dnnl::primitive& primitive, dnnl::memory::data_type source);

}  // namespace atc::kernels
