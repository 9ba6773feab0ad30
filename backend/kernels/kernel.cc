#include "backend/kernels/kernel.h"

#include <algorithm>

#include "backend/kernels/tile_functions.h"

namespace atc::kernels {
namespace {

constexpr std::string_view kTiles = "*";

struct FastKernel {
  std::string_view name;
  Factory make;
  // Operators that it may serve by themselves, separated by blanks; kTiles: those with a function of tiles. Empty
  // where it serves fused ones alone, or some of those that the one below it serves.
  std::string_view types;
};

// Asked in order; a factory refuses what it does not serve.
constexpr FastKernel kFastKernels[] = {
    {"cast", MakeCast, "Cast"},
    {"trans_data", MakeTransData, "TransData"},
    {"onednn quantized unit", MakeOneDnnQuantizedUnit, ""},
    {"onednn integer product", MakeOneDnnIntegerProduct,
     "onnx::ConvInteger onnx::MatMulInteger onnx::QLinearConv onnx::QLinearMatMul"},
    {"small product", MakeSmallProduct, ""},
    {"winograd", MakeWinograd, ""},
    {"pointwise", MakePointwise, ""},
    {"attention", MakeAttention, "FusedAttention"},
    {"onednn convolution", MakeOneDnnConvolution, "Conv2D Conv3D"},
    {"onednn deconvolution", MakeOneDnnDeconvolution, "Conv2DTranspose Conv3DTranspose"},
    {"onednn matmul", MakeOneDnnMatMul, "BatchMatMulV2 MatMulV2"},
    {"onednn pooling", MakeOneDnnPooling, "AvgPoolV2 MaxPoolV3"},
    {"masked softmax", MakeMaskedSoftmax, "FusedSoftmax SoftmaxV2"},
    {"onednn softmax", MakeOneDnnSoftmax, "LogSoftmaxV2"},
    {"byte pooling", MakeBytePooling, ""},
    {"byte max pooling", MakeByteMaxPooling, "MaxPoolV3"},
    {"recurrent", MakeRecurrent, "onnx::GRU onnx::LSTM onnx::RNN"},
    {"movement", MakeMovement,
     "BroadcastTo ConcatD Expand onnx::Pad onnx::Split onnx::Tile onnx::Transpose PadV3 ReverseV2 Slice SplitD SplitV "
     "StridedSlice StridedSliceV2 Tile Transpose TransposeD"},
    {"batch norm", MakeBatchNorm, "BatchNorm"},
    {"normalization", MakeNormalization,
     "GroupNormV2 InstanceNorm LayerNorm LayerNormV3 RmsNorm onnx::GroupNormalization onnx::LayerNormalization "
     "onnx::RMSNormalization"},
    {"reduction", MakeReduction, "GlobalAveragePool ReduceMax ReduceMean ReduceMin ReduceSum ReduceSumD"},
    {"resize", MakeResize, "Resize"},
    {"response norm", MakeResponseNorm, "LRN onnx::LRN"},
    {"rotary", MakeRotary, "RotaryPositionEmbedding"},
    {"widened", MakeWidened, ""},
    {"elementwise", MakeElementwise, kTiles},
};

bool HasWord(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t blank = std::min(list.find(' '), list.size());
    if (list.substr(0, blank) == word) return true;
    list.remove_prefix(std::min(blank + 1, list.size()));
  }
  return false;
}

}  // namespace

std::unique_ptr<Kernel> MakeFastKernel(const KernelSpec& spec) {
  for (const FastKernel& fast : kFastKernels) {
    if (std::unique_ptr<Kernel> kernel = fast.make(spec)) return kernel;
  }
  return nullptr;
}

std::unique_ptr<Kernel> MakeKernel(const KernelSpec& spec) {
  std::unique_ptr<Kernel> kernel = MakeFastKernel(spec);
  return kernel ? std::move(kernel) : MakeReference(spec);
}

std::string_view FastKernelOf(std::string_view op_type) {
  for (const FastKernel& fast : kFastKernels) {
    if (fast.types == kTiles ? HasTileFunction(op_type) : HasWord(fast.types, op_type)) return fast.name;
  }
  return "reference";
}

}  // namespace atc::kernels
