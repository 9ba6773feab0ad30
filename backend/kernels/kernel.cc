#include "backend/kernels/kernel.h"

#include <algorithm>

#include "backend/kernels/adapted.h"
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
  HalfUse halves = HalfUse::kInside;
};

// Asked in order; a factory refuses what it does not serve.
constexpr FastKernel kFastKernels[] = {
    {"cast", MakeCast, "Cast"},
    {"trans_data", MakeTransData, "TransData", HalfUse::kMoves},
    {"onednn quantized unit", MakeOneDnnQuantizedUnit, ""},
    {"onednn integer product", MakeOneDnnIntegerProduct,
     "onnx::ConvInteger onnx::MatMulInteger onnx::QLinearConv onnx::QLinearMatMul", HalfUse::kNone},
    {"small product", MakeSmallProduct, ""},
    {"winograd", MakeWinograd, ""},
    {"pointwise", MakePointwise, ""},
    {"attention", MakeAttention, "FusedAttention"},
    {"onednn convolution", MakeOneDnnConvolution, "Conv2D Conv3D", HalfUse::kApart},
    {"onednn deconvolution", MakeOneDnnDeconvolution, "Conv2DTranspose Conv3DTranspose", HalfUse::kApart},
    {"onednn matmul", MakeOneDnnMatMul, "BatchMatMulV2 MatMulV2", HalfUse::kApart},
    {"onednn pooling", MakeOneDnnPooling, "AvgPoolV2 MaxPoolV3", HalfUse::kApart},
    {"masked softmax", MakeMaskedSoftmax, "FusedSoftmax SoftmaxV2"},
    {"byte softmax", MakeByteSoftmax, ""},
    {"onednn softmax", MakeOneDnnSoftmax, "LogSoftmaxV2", HalfUse::kApart},
    {"byte pooling", MakeBytePooling, ""},
    {"byte max pooling", MakeByteMaxPooling, "MaxPoolV3"},
    {"recurrent", MakeRecurrent, "onnx::GRU onnx::LSTM onnx::RNN"},
    {"movement", MakeMovement,
     "BroadcastTo ConcatD DepthToSpace Expand SpaceToDepth onnx::Pad onnx::Split onnx::Tile onnx::Transpose PadV3 "
     "ReverseV2 Slice SplitD SplitV "
     "StridedSlice StridedSliceV2 Tile Transpose TransposeD",
     HalfUse::kMoves},
    {"batch norm", MakeBatchNorm, "BatchNorm", HalfUse::kApart},
    {"normalization", MakeNormalization,
     "AddLayerNorm AddRmsNorm GroupNormV2 InstanceNorm LayerNorm LayerNormV3 RmsNorm onnx::GroupNormalization "
     "onnx::LayerNormalization onnx::RMSNormalization"},
    {"reduction", MakeReduction, "GlobalAveragePool ReduceMax ReduceMean ReduceMin ReduceSum ReduceSumD"},
    {"resize", MakeResize, "Resize", HalfUse::kApart},
    {"response norm", MakeResponseNorm, "LRN onnx::LRN", HalfUse::kApart},
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

// Whether `body` holds of any port that is there.
template <typename Body>
bool AnyPort(const KernelSpec& spec, const Body& body) {
  const auto holds = [&](const Port& port) { return port.present && body(port); };
  return std::any_of(spec.inputs.begin(), spec.inputs.end(), holds) ||
         std::any_of(spec.outputs.begin(), spec.outputs.end(), holds);
}

bool HoldsRounded(const KernelSpec& spec) {
  return AnyPort(spec, [](const Port& port) { return port.rounded != DT_UNDEFINED; });
}

// Whether some ports hold halves as they are and others as rounded floats.
bool MixesHalves(const KernelSpec& spec) {
  return HoldsRounded(spec) && AnyPort(spec, [](const Port& port) { return IsHalf(port.dtype); });
}

}  // namespace

std::unique_ptr<Kernel> MakeFastKernel(const KernelSpec& spec) {
  const bool mixed = MixesHalves(spec);
  for (const FastKernel& fast : kFastKernels) {
    if (mixed && fast.halves == HalfUse::kMoves) continue;
    if (std::unique_ptr<Kernel> kernel = fast.make(spec)) return kernel;
  }
  return nullptr;
}

std::unique_ptr<Kernel> MakeKernel(const KernelSpec& spec) {
  if (HoldsRounded(spec)) return MakeRounded(spec);
  std::unique_ptr<Kernel> kernel = MakeFastKernel(spec);
  return kernel ? std::move(kernel) : MakeReference(spec);
}

std::string_view FastKernelOf(std::string_view op_type) {
  for (const FastKernel& fast : kFastKernels) {
    if (fast.types == kTiles ? HasTileFunction(op_type) : HasWord(fast.types, op_type)) return fast.name;
  }
  return "reference";
}

HalfUse HalfUseOf(const Node& node) {
  if (!node.subgraphs.empty() || node.Is(kStateful)) return HalfUse::kNone;
  const std::string_view type = node.type();
  for (const FastKernel& fast : kFastKernels) {
    if (fast.types == kTiles ? node.Is(kElementwise) && node.Is(kWidenHalf) : HasWord(fast.types, type))
      return fast.halves;
  }
  return HalfUse::kNone;
}

}  // namespace atc::kernels
