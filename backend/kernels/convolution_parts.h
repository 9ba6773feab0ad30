// What all kernels of convolutions ask of a task first.
#pragma once

#include <optional>

#include "backend/kernels/heavy_parts.h"
#include "compiler/ops/conv_kernel.h"

namespace atc::kernels {

struct ConvolutionParts {
  HeavyParts heavy;
  int x, w, bias;      // ports of the task; bias -1 where there is none
  bool channels_last;  // how x and the result lie
  Shape in, out;       // N, C, spatial
  ConvSizes sizes;
};

// Of a Conv2D or Conv3D, alone or with what is fused to it, of float or half tensors, with a constant filter and bias; nothing where
// the task is another or has no result.
std::optional<ConvolutionParts> FindConvolution(const KernelSpec& spec);

}  // namespace atc::kernels
