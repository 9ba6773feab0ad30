// A task around the integer sums of a ByteProduct: what goes in, and what becomes of the sums.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/kernels/byte_product.h"
#include "backend/kernels/elementwise_program.h"
#include "backend/kernels/requantize.h"

namespace atc::kernels {

struct ByteProductTask {
  enum Form { kSums, kFloats, kQuantized, kRounded };

  std::unique_ptr<ByteProduct> product;
  int x_port = 0;
  int zero_port = -1;   // of x, one number of x's type; -1: zero
  bool images = false;  // x and the result are images, NCHW where their ports are not channels-last
  Form form = kSums;
  int scale_port = -1;   // kFloats: of a float that all of `scales` are multiplied by in each run; -1: 1
  ChannelScales scales;  // not for kSums
  Rounding rounding;     // kQuantized, kRounded
  std::unique_ptr<ElementwiseProgram> tail;  // follows kFloats
  std::vector<uint8_t> table;  // of 256: what becomes of each byte of kQuantized, kRounded; empty: it stays
};

std::unique_ptr<Kernel> MakeByteProductKernel(const KernelSpec& spec, ByteProductTask task);

}  // namespace atc::kernels
