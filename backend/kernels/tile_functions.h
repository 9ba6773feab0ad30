// Elementwise operators over a tile of floats.
#pragma once

#include <string_view>

#include "compiler/ir/graph.h"

namespace atc::kernels {

inline constexpr int kMaxArguments = 3;
inline constexpr int kMaxParams = 4;

// out[i] = f(args[0][i], ..., params) for i in [0, n); out may be one of args.
using TileFn = void (*)(const float* const* args, float* out, int n, const float* params);

struct TileFunction {
  TileFn fn = nullptr;
  int arguments = 0;
  float params[kMaxParams] = {};  // the node's float attributes, in the order of its definition
};

// The function of `node`; fn is nullptr when there is none for its type or attributes.
TileFunction FindTileFunction(const Node& node);

// (x - zero) * scale of whole numbers: exact but for one rounding.
TileFunction DequantizeTile(float scale, float zero);
// x / scale rounded to the nearest whole number, ties to even, plus zero, saturated; NaN becomes what is nearest to 0.
TileFunction QuantizeTile(float scale, float zero, float low, float high);

// Whether there is one for operators of this type, with some attributes at least.
bool HasTileFunction(std::string_view op_type);

}  // namespace atc::kernels
