// Operators that only move elements: where each goes follows from shapes and constant parameters, and is asked of the
// reference kernel once.
#include "compiler/ops/movement.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "backend/kernels/kernel.h"
#include "backend/kernels/strided_copy.h"
#include "compiler/ir/error.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/channel_shuffle.h"

namespace atc::kernels {
namespace {

constexpr std::string_view kTypes[] = {
    "BroadcastTo",  "ConcatD",         "DepthToSpace", "Expand",    "SpaceToDepth", "onnx::Pad", "onnx::Split",
    "onnx::Tile",   "onnx::Transpose", "PadV3",        "ReverseV2", "Slice",        "SplitD",    "SplitV",
    "StridedSlice", "StridedSliceV2",  "Tile",         "Transpose", "TransposeD",
};

struct Step {
  int input;  // port; -1: the scalar
  int output;
  StridedCopy copy;
  uint64_t scalar = 0;
};

class MovementKernel : public Kernel {
 public:
  MovementKernel(std::vector<Step> steps, int threads) : steps_(std::move(steps)), threads_(threads) {}

  bool RoundsOutputs() const override { return true; }  // it moves what is rounded
  void Run(const void* const* inputs, void* const* outputs, std::byte*) override {
    for (const Step& step : steps_) {
      if (outputs[step.output] == nullptr) continue;
      step.copy.Run(step.input < 0 ? &step.scalar : inputs[step.input], outputs[step.output], threads_);
    }
  }

 private:
  std::vector<Step> steps_;
  int threads_;
};

// A place of its own for each port, which nobody reads.
std::byte* PlaceOf(size_t port) {
  static std::byte places[256 * 64];
  return port < 256 ? places + port * 64 : nullptr;
}

// The stride along one axis of a row-major tensor of `shape`, in a tensor that is stored channels last. Nothing where a
// step leads along several axes at once.
std::optional<int64_t> StoredStride(int64_t stride, int64_t count, const Shape& shape) {
  if (stride == 0 || count == 1) return 0;
  const std::vector<int64_t> plain = shape.Strides();
  const int64_t channels = shape[1], spatial = shape[2] * shape[3];
  const int64_t stored[] = {channels * spatial, 1, shape[3] * channels, channels};
  const int64_t size = std::abs(stride);
  for (size_t axis = 0; axis < 4; ++axis) {
    if (shape[axis] == 1 || size % plain[axis] != 0) continue;
    const int64_t steps = size / plain[axis];
    if ((count - 1) * steps >= shape[axis]) return std::nullopt;
    return (stride < 0 ? -steps : steps) * stored[axis];
  }
  return std::nullopt;
}

bool ToStored(const Port& port, const Shape& box, Region& region) {
  if (!port.channels_last) return true;
  if (port.shape.rank() != 4) return false;
  const std::vector<int64_t> plain = port.shape.Strides();
  const int64_t n = region.offset / plain[0], c = region.offset % plain[0] / plain[1];
  const int64_t h = region.offset % plain[1] / plain[2], w = region.offset % plain[2];
  region.offset = ((n * port.shape[2] + h) * port.shape[3] + w) * port.shape[1] + c;
  for (size_t i = 0; i < region.strides.size(); ++i) {
    const std::optional<int64_t> stride = StoredStride(region.strides[i], box[i], port.shape);
    if (!stride) return false;
    region.strides[i] = *stride;
  }
  return true;
}

// The ports of the Transpose inside of a channel shuffle: reshaping moves nothing, so that its moves are those of the
// whole.
KernelSpec SpecInside(const KernelSpec& spec) {
  const Node& node = ShuffledInside(spec.node);
  const Graph& graph = *spec.node.fused;
  KernelSpec inside{node, {}, {}, spec.threads, spec.prepared};
  const auto port = [&](ValueId value) {
    Port made;
    made.present = true;
    made.dtype = graph.desc(value).dtype;
    made.shape = graph.desc(value).origin_shape;
    made.constant = graph.Constant(value);
    return made;
  };
  inside.inputs = {port(node.inputs[0]), port(node.inputs[1])};
  inside.outputs = {port(node.outputs[0])};
  inside.inputs[0].dtype = inside.outputs[0].dtype = spec.inputs[0].dtype;
  return inside;
}

// The moves of the node's reference kernel; nothing where they depend on what is not known yet.
std::optional<std::vector<MovementRecorder::Move>> Record(const KernelSpec& spec) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const Port& port = spec.inputs[i];
    if (!port.present) {
      inputs.emplace_back();
    } else if (port.constant != nullptr && i > 0 && !port.channels_last) {
      inputs.push_back(*port.constant);
    } else {
      Buffer place;
      place.data = PlaceOf(i);
      place.size = DataTypeBytes(port.dtype, port.shape.NumElements());
      if (place.data == nullptr) return std::nullopt;
      inputs.emplace_back(port.dtype, port.shape, place);
    }
  }
  bool fits = true;
  const auto allocate = [&](size_t i, DataType dtype, const Shape& shape) {
    Buffer place;
    place.data = PlaceOf(255 - i);
    place.size = DataTypeBytes(dtype, shape.NumElements());
    fits &= i < spec.outputs.size() && dtype == spec.outputs[i].dtype && shape == spec.outputs[i].shape;
    return Tensor(dtype, shape, place);
  };
  MovementRecorder recorder;
  KernelContext context(spec.node, std::move(inputs), allocate);
  try {
    spec.node.def->kernel(context);
  } catch (const Error&) {
    return std::nullopt;  // a run tells what is wrong
  }
  // An output that is an input as it is has no move.
  const std::vector<Tensor> outputs = context.TakeOutputs();
  for (size_t i = 0; i < outputs.size(); ++i) fits &= outputs[i].defined() && outputs[i].Data() == PlaceOf(255 - i);
  if (!fits) return std::nullopt;
  return std::move(recorder.moves);
}

// Borders that repeat what is inside are made by other means than moving boxes.
bool MovesBoxes(const Node& node) {
  return node.def->FindAttr("mode") == nullptr || node.Attr<std::string>("mode") == "constant";
}

// Whether the operator's parameters, all inputs but its data, are constants.
bool HasParameters(const KernelSpec& spec) {
  if (spec.node.type() == "ConcatD") return true;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const Port& port = spec.inputs[i];
    const bool data = spec.node.type() == "SplitD" || (i == (spec.node.type() == "Split" ? 1 : 0));
    if (!data && port.present && port.constant == nullptr) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Kernel> MakeMovement(const KernelSpec& spec) {
  const std::string_view type = spec.node.type();
  const bool shuffle = IsChannelShuffle(spec.node);
  if ((spec.node.fused && !shuffle) || std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes))
    return nullptr;
  if (spec.inputs.size() + spec.outputs.size() > 255 || spec.outputs.empty()) return nullptr;
  if (!shuffle && (!HasParameters(spec) || !MovesBoxes(spec.node))) return nullptr;
  const DataType dtype = spec.outputs[0].dtype;
  const int bits = DataTypeBits(dtype);
  if (dtype == DT_STRING || dtype == DT_VARIANT || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return nullptr;
  for (const Port& port : spec.outputs) {
    if (!port.present || port.dtype != dtype) return nullptr;
  }
  const auto moves = Record(shuffle ? SpecInside(spec) : spec);
  if (!moves) return nullptr;
  std::vector<Step> steps;
  for (const MovementRecorder::Move& move : *moves) {
    if (move.shape.rank() > 16 || move.from.dtype() != dtype) return nullptr;
    int input = -1, output = -1;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      if (move.from.Data() == PlaceOf(i)) input = static_cast<int>(i);
    }
    for (size_t i = 0; i < spec.outputs.size(); ++i) {
      if (move.to == PlaceOf(255 - i)) output = static_cast<int>(i);
    }
    if (output < 0 || (input < 0 && move.from.NumElements() != 1)) return nullptr;
    Region source = move.source, target = move.target;
    if (input >= 0 && !ToStored(spec.inputs[static_cast<size_t>(input)], move.shape, source)) return nullptr;
    if (!ToStored(spec.outputs[static_cast<size_t>(output)], move.shape, target)) return nullptr;
    Step step{input, output,
              StridedCopy({move.shape.dims(), source.strides, target.strides, source.offset, target.offset}, bits / 8),
              0};
    if (input < 0) std::memcpy(&step.scalar, move.from.Data(), static_cast<size_t>(bits) / 8);
    steps.push_back(std::move(step));
  }
  return std::make_unique<MovementKernel>(std::move(steps), spec.threads);
}

}  // namespace atc::kernels
