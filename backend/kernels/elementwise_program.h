// A chain of elementwise operators as a little program over tiles: every step reads and writes registers of one tile.
// 8-bit tensors enter through DequantizeLinear and leave through QuantizeLinear, both with constant parameters.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backend/kernels/kernel.h"
#include "backend/kernels/tile_functions.h"

namespace atc::kernels {

class ElementwiseProgram {
 public:
  // Builds the program of `node`: a single elementwise operator, or all of Node::fused. With `heavy` (a node of the
  // fused graph), that node's result is given by the caller instead: its position in the output is that of the tile.
  // Ports are those of the outer node. nullptr where a step has no tile function or a port does not fit.
  static std::unique_ptr<ElementwiseProgram> Make(const KernelSpec& spec, const Node* heavy);

  // Computes every output element. `given` is the heavy result as floats in output order, nullptr without one.
  // Output order is the storage order of output port 0.
  void Run(const void* const* inputs, const float* given, void* output, int threads) const;
  // Of the output elements from `begin` on `count`, on the calling thread. `given` and `output` are those of the whole;
  // with a float output they may be the same.
  void RunRange(const void* const* inputs, const float* given, void* output, int64_t begin, int64_t count) const;

 private:
  static constexpr int kTile = 512;
  static constexpr size_t kMostAxes = 16;

  // How a port's elements are found for a stretch of the output.
  struct Operand {
    enum Kind : uint8_t { kGivenResult, kFull, kScalar, kStrided } kind = kFull;
    int port = 0;
    DataType dtype = DT_FLOAT;
    // For kStrided: the output's dims in storage order, neighbours merged where the operand allows it, and its strides
    // along them, 0 where it is repeated.
    std::vector<int64_t> dims, strides;
  };
  struct Step {
    TileFunction function;
    int arguments[kMaxArguments];  // registers
    int result;
  };

  // `quantized`: the port has 8 bits, and a DequantizeLinear reads it.
  int AddOperand(const KernelSpec& spec, int port, bool quantized);
  // From one stride for each of dims_ to the merged form.
  void MergeAxes(Operand& operand) const;
  // The operand's floats for a tile of the output: where they are, or brought into `tile`.
  const float* Load(const Operand& operand, const void* const* inputs, const float* given, int64_t begin, int count,
                    float* tile) const;

  std::vector<int64_t> dims_;  // of the output, in storage order
  int64_t count_ = 0;
  DataType out_dtype_ = DT_FLOAT;
  DataType rounded_ = DT_UNDEFINED;  // as of the output's port
  std::vector<Operand> operands_;  // register i holds operand i
  std::vector<Step> steps_;
  int registers_ = 0;
  int result_ = 0;
  bool fits_ = true;
};

}  // namespace atc::kernels
