// Elementwise operators over a tile of floats.
#pragma once

#include "compiler/ir/graph.h"

namespace atc::kernels {

inline constexpr int kMaxArguments = 3;
inline constexpr int kMaxParams = 3;

// out[i] = f(args[0][i], ..., params) for i in [0, n); out may be one of args.
using TileFn = void (*)(const float* const* args, float* out, int n, const float* params);

struct TileFunction {
  TileFn fn = nullptr;
  int arguments = 0;
  float params[kMaxParams] = {};  // the node's float attributes, in the order of its definition
};

// The function of `node`; fn is nullptr when there is none for its type or attributes.
TileFunction FindTileFunction(const Node& node);

}  // namespace atc::kernels
