#include "backend/kernels/elementwise_program.h"

#include <algorithm>
#include <map>

#include "backend/kernels/for_team.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/quantize_scale.h"
#include "compiler/ir/half.h"

namespace atc::kernels {
namespace {

bool IsFloatType(DataType dtype) { return dtype == DT_FLOAT || IsHalf(dtype); }
bool IsByte(DataType dtype) { return dtype == DT_INT8 || dtype == DT_UINT8; }

bool IsQuantize(const Node& node) { return node.type() == "onnx::QuantizeLinear"; }
bool IsDequantize(const Node& node) { return node.type() == "onnx::DequantizeLinear"; }

// Whether the node only prepares an operand of the heavy operator.
bool ServesOnly(const Graph& graph, const Node& node, const Node* heavy) {
  if (heavy == nullptr || !IsDequantize(node)) return false;
  const std::vector<Use>& uses = graph.value(node.outputs[0]).uses;
  return std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return use.node == heavy->id; });
}

// Dims in the order in which the port's elements lie.
std::vector<int64_t> StorageDims(const Port& port) {
  std::vector<int64_t> dims = port.shape.dims();
  if (port.channels_last) {
    const int64_t channels = dims[1];
    dims.erase(dims.begin() + 1);
    dims.push_back(channels);
  }
  return dims;
}

// Where axis `axis` of the origin view lies in storage, for a tensor of `rank`.
size_t StorageAxis(size_t axis, size_t rank, bool channels_last) {
  if (!channels_last || axis == 0) return axis;
  return axis == 1 ? rank - 1 : axis - 1;
}

float ElementAt(const void* data, DataType dtype, int64_t index) {
  if (dtype == DT_FLOAT) return static_cast<const float*>(data)[index];
  if (dtype == DT_UINT8) return static_cast<const uint8_t*>(data)[index];
  if (dtype == DT_INT8) return static_cast<const int8_t*>(data)[index];
  const uint16_t bits = static_cast<const uint16_t*>(data)[index];
  return dtype == DT_FLOAT16 ? HalfToFloat(bits) : BFloat16ToFloat(bits);
}

}  // namespace

int ElementwiseProgram::AddOperand(const KernelSpec& spec, int port_index, bool quantized) {
  const Port& port = spec.inputs[port_index];
  const Port& output = spec.outputs[0];
  Operand operand;
  operand.port = port_index;
  operand.dtype = port.dtype;
  if (!port.present || !(quantized ? IsByte(port.dtype) : IsFloatType(port.dtype)) ||
      port.shape.rank() > output.shape.rank())
    fits_ = false;
  if (port.shape == output.shape && port.channels_last == output.channels_last) {
    operand.kind = Operand::kFull;
  } else if (port.shape.NumElements() == 1) {
    operand.kind = Operand::kScalar;
  } else if (fits_) {
    operand.kind = Operand::kStrided;
    const size_t rank = output.shape.rank();
    const size_t shift = rank - port.shape.rank();
    // Strides of the port in its own storage, brought to the storage order of the output.
    std::vector<int64_t> own(port.shape.rank());
    const std::vector<int64_t> storage = Shape(StorageDims(port)).Strides();
    for (size_t axis = 0; axis < own.size(); ++axis) {
      own[axis] = storage[StorageAxis(axis, own.size(), port.channels_last)];
    }
    operand.strides.assign(rank, 0);
    for (size_t axis = 0; axis < own.size(); ++axis) {
      if (port.shape[axis] != 1 && port.shape[axis] != output.shape[axis + shift]) fits_ = false;
      if (port.shape[axis] == 1) continue;
      operand.strides[StorageAxis(axis + shift, rank, output.channels_last)] = own[axis];
    }
    MergeAxes(operand);
    if (operand.dims.size() > kMostAxes) fits_ = false;
  }
  operands_.push_back(std::move(operand));
  return static_cast<int>(operands_.size()) - 1;
}

void ElementwiseProgram::MergeAxes(Operand& operand) const {
  std::vector<int64_t> dims, strides;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (dims_[d] == 1) continue;
    if (!dims.empty() && strides.back() == operand.strides[d] * dims_[d]) {
      dims.back() *= dims_[d];
      strides.back() = operand.strides[d];
    } else {
      dims.push_back(dims_[d]);
      strides.push_back(operand.strides[d]);
    }
  }
  operand.dims = std::move(dims);
  operand.strides = std::move(strides);
}

std::unique_ptr<ElementwiseProgram> ElementwiseProgram::Make(const KernelSpec& spec, const Node* heavy) {
  auto program = std::make_unique<ElementwiseProgram>();
  if (spec.outputs.size() != 1 || !(IsFloatType(spec.outputs[0].dtype) || IsByte(spec.outputs[0].dtype)))
    return nullptr;
  program->dims_ = StorageDims(spec.outputs[0]);
  program->count_ = spec.outputs[0].shape.NumElements();
  program->out_dtype_ = spec.outputs[0].dtype;
  program->rounded_ = spec.outputs[0].rounded;

  // First the operands, so that their registers come before those of the steps.
  std::map<ValueId, int> at;  // value of the fused graph -> register
  std::vector<const Node*> order;
  const Graph* graph = spec.node.fused.get();
  if (graph == nullptr) {
    order.push_back(&spec.node);
    const size_t operands = IsQuantize(spec.node) || IsDequantize(spec.node) ? 1 : spec.inputs.size();
    for (size_t i = 0; i < operands; ++i) program->AddOperand(spec, static_cast<int>(i), IsDequantize(spec.node));
  } else {
    for (const NodeId id : graph->TopologicalOrder()) {
      const Node& node = graph->node(id);
      if (&node == heavy) {
        Operand given;
        given.kind = Operand::kGivenResult;
        program->operands_.push_back(given);
        at[node.outputs[0]] = static_cast<int>(program->operands_.size()) - 1;
      } else if (!node.Is(kSource) && !(node.type() == "NetOutput") && !ServesOnly(*graph, node, heavy)) {
        order.push_back(&node);
        const size_t operands = IsQuantize(node) || IsDequantize(node) ? 1 : node.inputs.size();
        for (size_t i = 0; i < operands; ++i) {
          const ValueId input = node.inputs[i];
          if (input == kNoId || at.contains(input) || !(graph->producer(input).type() == "Data")) continue;
          const auto port = static_cast<int>(graph->producer(input).Attr<int64_t>("index"));
          at[input] = program->AddOperand(spec, port, IsDequantize(node));
        }
      }
    }
  }
  program->registers_ = static_cast<int>(program->operands_.size());
  for (const Node* node : order) {
    const bool scales = IsQuantize(*node) || IsDequantize(*node);
    Step step{scales ? FindQuantizeTile(spec, *node) : FindTileFunction(*node), {}, program->registers_++};
    const size_t arguments = scales ? 1 : node->inputs.size();
    if (step.function.fn == nullptr || static_cast<int>(arguments) != step.function.arguments) return nullptr;
    for (size_t i = 0; i < arguments; ++i) {
      if (node->inputs[i] == kNoId) return nullptr;
      step.arguments[i] = graph ? at.at(node->inputs[i]) : static_cast<int>(i);
    }
    if (graph) at[node->outputs[0]] = step.result;
    program->result_ = step.result;
    program->steps_.push_back(step);
  }
  if (graph != nullptr) program->result_ = at.at(graph->NetOutput()->inputs[0]);
  // Whole numbers within range are what 8 bits can hold.
  const bool quantized =
      graph == nullptr ? IsQuantize(spec.node) : IsQuantize(graph->producer(graph->NetOutput()->inputs[0]));
  if (IsByte(spec.outputs[0].dtype) != quantized) return nullptr;
  return program->fits_ ? std::move(program) : nullptr;
}

const float* ElementwiseProgram::Load(const Operand& operand, const void* const* inputs, const float* given,
                                      int64_t begin, int count, float* tile) const {
  if (operand.kind == Operand::kGivenResult) return given + begin;
  const void* data = inputs[operand.port];
  if (operand.kind == Operand::kFull) {
    if (operand.dtype == DT_FLOAT) return static_cast<const float*>(data) + begin;
    const auto width = static_cast<int64_t>(TileElementBytes(operand.dtype));
    WidenTo(tile, static_cast<const char*>(data) + begin * width, operand.dtype, count);
  } else if (operand.kind == Operand::kScalar) {
    std::fill_n(tile, count, ElementAt(data, operand.dtype, 0));
  } else {
    // Walks the output's coordinates, the last axis in a plain loop.
    const std::vector<int64_t>&dims = operand.dims, &strides = operand.strides;
    const size_t rank = dims.size();
    int64_t at[kMostAxes];
    int64_t rest = begin;
    int64_t offset = 0;
    for (size_t d = rank; d-- > 0;) {
      at[d] = rest % dims[d];
      rest /= dims[d];
      offset += at[d] * strides[d];
    }
    const int64_t step = strides[rank - 1];
    // One row over and over: after the first whole one the tile is copied from itself.
    const bool repeats = rank == 2 && strides[0] == 0 && step == 1 && dims[1] < count;
    const auto width = static_cast<int64_t>(TileElementBytes(operand.dtype));
    for (int done = 0; done < count;) {
      if (repeats && done >= dims[1]) {
        const auto from = static_cast<int>(done % dims[1]), length = std::min(count - done, done - from);
        std::copy_n(tile + from, length, tile + done);
        done += length;
        continue;
      }
      const int length = static_cast<int>(std::min<int64_t>(count - done, dims[rank - 1] - at[rank - 1]));
      if (step == 0) {
        std::fill_n(tile + done, length, ElementAt(data, operand.dtype, offset));
      } else if (step == 1 && operand.dtype == DT_FLOAT) {
        const float* row = static_cast<const float*>(data) + offset;
        if (length == count) return row;
        std::copy_n(row, length, tile + done);
      } else if (step == 1) {
        WidenTo(tile + done, static_cast<const char*>(data) + offset * width, operand.dtype,
                static_cast<size_t>(length));
      } else {
        for (int i = 0; i < length; ++i) tile[done + i] = ElementAt(data, operand.dtype, offset + i * step);
      }
      done += length;
      offset += length * step;
      at[rank - 1] += length;
      for (size_t d = rank - 1; at[d] == dims[d] && d > 0; --d) {
        at[d] = 0;
        offset += strides[d - 1] - dims[d] * strides[d];
        ++at[d - 1];
      }
    }
  }
  return tile;
}

void ElementwiseProgram::RunRange(const void* const* inputs, const float* given, void* output, int64_t begin,
                                  int64_t count) const {
  thread_local std::vector<float> tiles;
  thread_local std::vector<const float*> registers;
  if (tiles.size() < static_cast<size_t>(registers_) * kTile) tiles.resize(static_cast<size_t>(registers_) * kTile);
  if (registers.size() < static_cast<size_t>(registers_)) registers.resize(static_cast<size_t>(registers_));
  const auto width = static_cast<int64_t>(TileElementBytes(out_dtype_));
  // The last step writes the result where it belongs.
  const bool in_place = out_dtype_ == DT_FLOAT && !steps_.empty() && steps_.back().result == result_;
  for (const int64_t end = begin + count; begin < end; begin += kTile) {
    const int length = static_cast<int>(std::min<int64_t>(kTile, end - begin));
    char* to = static_cast<char*>(output) + begin * width;
    for (size_t i = 0; i < operands_.size(); ++i) {
      registers[i] = Load(operands_[i], inputs, given, begin, length, tiles.data() + i * kTile);
    }
    for (const Step& step : steps_) {
      const float* arguments[kMaxArguments] = {};
      for (int i = 0; i < step.function.arguments; ++i)
        arguments[i] = registers[static_cast<size_t>(step.arguments[i])];
      const bool last = in_place && &step == &steps_.back();
      float* result = last ? reinterpret_cast<float*>(to) : tiles.data() + static_cast<size_t>(step.result) * kTile;
      step.function.fn(arguments, result, length, step.function.params);
      registers[static_cast<size_t>(step.result)] = result;
    }
    if (rounded_ != DT_UNDEFINED) {
      RoundTo(reinterpret_cast<float*>(to), rounded_, registers[static_cast<size_t>(result_)],
              static_cast<size_t>(length));
    } else if (!in_place) {
      NarrowTo(to, out_dtype_, registers[static_cast<size_t>(result_)], static_cast<size_t>(length));
    }
  }
}

void ElementwiseProgram::Run(const void* const* inputs, const float* given, void* output, int threads) const {
  // Below so many elements for each member a team costs more than it gains.
  constexpr int64_t kLeast = 8 * kTile;
  const auto parts = static_cast<int>(std::min<int64_t>(threads, count_ / kLeast));
  if (parts < 2) return RunRange(inputs, given, output, 0, count_);
  ForTeam(threads, parts, [&](int64_t part) {
    const int64_t begin = count_ * part / parts, end = count_ * (part + 1) / parts;
    RunRange(inputs, given, output, begin, end - begin);
  });
}

}  // namespace atc::kernels
