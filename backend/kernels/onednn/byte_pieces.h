// How the sums of an 8-bit convolution or product are cut into pieces that stay in a core's cache until they are rounded.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ops/conv_kernel.h"

namespace atc::kernels {

// Some rows of the result, made by a convolution of its own.
struct BytePiece {
  WindowAxis rows;     // the vertical axis of that convolution
  int64_t image = 0;
  int64_t x_row = 0;   // of the image, where its input begins
  int64_t y_row = 0;   // of the image, where its output begins
};

struct ByteCut {
  ConvSizes sizes;  // what is cut: the convolution itself, or the same one with all places of all images in one column
  std::vector<BytePiece> pieces;  // in order of the result; one: all images at once, by the whole team
};

// `weight_bytes` are those that each piece reads anew.
ByteCut CutSums(const ConvSizes& sizes, int64_t weight_bytes, int threads);

}  // namespace atc::kernels
