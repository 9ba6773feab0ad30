// The constant scale and zero point of a QuantizeLinear or DequantizeLinear, which is a task or part of a fused one.
#pragma once

#include <optional>

#include "backend/kernels/kernel.h"
#include "backend/kernels/tile_functions.h"

namespace atc::kernels {

struct QuantizeScale {
  float scale = 1;
  float zero = 0;
  float low = 0;  // least and largest value of the 8-bit side
  float high = 255;
};

// One float scale for the whole tensor, known at load, between float and int8 or uint8; nothing where that is not so.
std::optional<QuantizeScale> FindQuantizeScale(const KernelSpec& spec, const Node& node);

// The tile function of such a node; fn is nullptr where FindQuantizeScale finds nothing.
TileFunction FindQuantizeTile(const KernelSpec& spec, const Node& node);

// The constant at input `i` of a node, which is the task's own or one of its fused graph; nullptr where it is none.
const Tensor* ConstantAt(const KernelSpec& spec, const Node& node, size_t i);

}  // namespace atc::kernels
