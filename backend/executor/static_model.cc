#include "backend/executor/static_model.h"

#include <algorithm>
#include <cstring>

#include "backend/executor/describe.h"
#include "backend/kernels/team.h"
#include "backend/runtime/device.h"
#include "compiler/ir/error.h"

namespace atc {
namespace {

Error Damaged(const OmModel& model, const std::string& what) {
  return Error("E10041", {{"parameter", model.name}, {"reason", what}}, "Convert the model again.");
}

}  // namespace

StaticModel::StaticModel(OmModel model, const LoadOptions& options)
    : model_(std::move(model)), info_(DescribeModel(model_)), device_(options.device), threads_(1) {
  if (model_.stream_num < 1 || model_.stream_num > 1024 || model_.event_num < 0 || model_.event_num > 65536) {
    throw Damaged(model_, "it asks for " + std::to_string(model_.stream_num) + " streams and " +
                              std::to_string(model_.event_num) + " events");
  }
  TakeMemory(options);
  try {
    FindPlaces();
    // One stream may use every core for each task; several share them.
    threads_ = std::max<int>(1, static_cast<int>(options.cores) / static_cast<int>(model_.stream_num));
    Prepare();
  } catch (...) {
    if (owns_arena_) device_->Free(arena_);
    throw;
  }
  events_ = std::make_unique<RunEvents>(static_cast<size_t>(model_.event_num));
  for (int64_t i = 1; i < model_.stream_num; ++i) {
    others_.push_back(std::make_unique<runtime::Stream>(*device_, device_->NextStreamId()));
  }
}

StaticModel::~StaticModel() {
  others_.clear();
  if (owns_arena_) device_->Free(arena_);
}

void StaticModel::TakeMemory(const LoadOptions& options) {
  const auto bytes = static_cast<size_t>(std::max<int64_t>(model_.memory_size, 1));
  if (options.work != nullptr) {
    if (options.work_bytes < bytes) {
      throw Error::Internal("the model needs " + std::to_string(bytes) + " bytes of feature memory, " +
                            std::to_string(options.work_bytes) + " were given");
    }
    arena_ = static_cast<std::byte*>(options.work);
    return;
  }
  void* memory = nullptr;
  if (device_->Malloc(bytes, &memory) != runtime::kOk) {
    throw Error::Internal("the device has no " + std::to_string(bytes) + " bytes for feature memory");
  }
  arena_ = static_cast<std::byte*>(memory);
  owns_arena_ = true;
}

// Every offset is checked here, once: kernels trust their addresses.
void StaticModel::FindPlaces() {
  const Graph& graph = *model_.graph;
  places_.assign(graph.value_capacity(), nullptr);
  constants_.assign(graph.value_capacity(), Tensor());
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    if (const Tensor* constant = node.type() == "Const" ? node.attrs.FindAs<Tensor>("value") : nullptr) {
      Tensor& held = constants_[node.outputs[0]];
      held = constant->Materialized();
      places_[node.outputs[0]] = held.MutableData<std::byte>();
      continue;
    }
    for (const ValueId output : node.outputs) {
      const Value& value = graph.value(output);
      if (!value.desc.shape.IsKnown())
        throw Damaged(model_, "'" + node.name + "' has an unknown shape in a static model");
      const auto bytes = static_cast<int64_t>(DataTypeBytes(value.desc.dtype, value.desc.shape.NumElements()));
      const auto origin = static_cast<int64_t>(DataTypeBytes(value.desc.dtype, value.desc.origin_shape.NumElements()));
      if (value.offset < 0 || value.offset > model_.memory_size ||
          std::max(bytes, origin) > model_.memory_size - value.offset) {
        throw Damaged(model_, "output " + std::to_string(value.index) + " of '" + node.name + "' lies at " +
                                  std::to_string(value.offset) + " with " + std::to_string(bytes) +
                                  " bytes, the memory has " + std::to_string(model_.memory_size));
      }
      places_[output] = arena_ + value.offset;
    }
  }
}

kernels::Port StaticModel::MakePort(ValueId id) const {
  kernels::Port port;
  if (id == kNoId) return port;
  const Graph& graph = *model_.graph;
  const TensorDesc& desc = graph.desc(id);
  port.present = true;
  port.dtype = desc.dtype;
  port.shape = desc.origin_shape;
  port.channels_last = desc.format == FORMAT_NC1HWC0;
  port.constant = constants_[id].defined() ? &constants_[id] : nullptr;
  return port;
}

void StaticModel::Prepare() {
  const kernels::Team team(threads_);
  Graph& graph = *model_.graph;
  steps_.resize(static_cast<size_t>(model_.stream_num));
  std::vector<size_t> scratch(steps_.size(), 0);
  for (const Task& task : model_.tasks) {
    if (task.stream >= steps_.size() || (task.op_index >= graph.node_capacity())) {
      throw Damaged(model_, "task " + std::to_string(task.id) + " names a stream or node that does not exist");
    }
    Step step;
    step.type = task.type;
    step.event = task.event;
    step.node = &graph.node(task.op_index);
    if (task.type == TaskType::kKernel) {
      kernels::KernelSpec spec{*step.node, {}, {}, threads_};
      for (const ValueId input : step.node->inputs) {
        spec.inputs.push_back(MakePort(input));
        step.inputs.push_back(input == kNoId ? nullptr : Address(input));
      }
      for (const ValueId output : step.node->outputs) {
        spec.outputs.push_back(MakePort(output));
        // Of several outputs those that nobody reads need not be written.
        const bool unread = step.node->outputs.size() > 1 && graph.value(output).uses.empty();
        step.outputs.push_back(unread ? nullptr : Address(output));
      }
      step.kernel = kernels::MakeKernel(spec);
      info_.prepared_weight_bytes += step.kernel->prepared_bytes();
      scratch[task.stream] = std::max(scratch[task.stream], step.kernel->scratch_bytes());
    } else if ((task.type != TaskType::kEventRecord && task.type != TaskType::kEventWait) ||
               task.event >= static_cast<uint64_t>(model_.event_num)) {
      throw Damaged(model_, "task " + std::to_string(task.id) + " has a type or event that this device does not know");
    }
    steps_[task.stream].push_back(std::move(step));
  }
  uint64_t scratch_bytes = 0;
  for (const size_t bytes : scratch) {
    scratch_.push_back(Buffer::Allocate(bytes));
    scratch_bytes += bytes;
  }
  info_.peak_bytes = info_.arena_bytes + info_.weight_bytes + info_.prepared_weight_bytes + scratch_bytes;
}

void StaticModel::Fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::move(error);
  }
  events_->GiveUp();
}

void StaticModel::RunSteps(size_t stream) {
  const kernels::Team team(threads_);
  try {
    for (Step& step : steps_[stream]) {
      if (step.type == TaskType::kEventRecord) {
        events_->Record(step.event);
      } else if (step.type == TaskType::kEventWait) {
        if (!events_->Wait(step.event)) return;
      } else {
        step.kernel->Run(step.inputs.data(), step.outputs.data(), scratch_[stream].data);
      }
    }
  } catch (...) {
    Fail(std::current_exception());
  }
}

void StaticModel::Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) {
  const Graph& graph = *model_.graph;
  const std::vector<NodeId> data = graph.Inputs();
  if (inputs.size() != data.size() || outputs.size() != info_.outputs.size()) {
    throw Error::Internal("the model has " + std::to_string(data.size()) + " inputs and " +
                          std::to_string(info_.outputs.size()) + " outputs");
  }
  for (size_t i = 0; i < data.size(); ++i) {
    const ValueId value = graph.node(data[i]).outputs[0];
    const TensorDesc& desc = graph.desc(value);
    const size_t bytes = DataTypeBytes(desc.dtype, desc.origin_shape.NumElements());
    if (inputs[i].bytes < bytes) {
      throw Error::Internal("input '" + info_.inputs[i].name + "' has " + std::to_string(inputs[i].bytes) + " bytes, " +
                            std::to_string(bytes) + " are needed");
    }
    if (bytes > 0) std::memcpy(Address(value), inputs[i].data, bytes);
  }
  error_ = nullptr;
  events_->Begin();
  for (size_t i = 0; i < others_.size(); ++i) {
    const auto code = others_[i]->Enqueue([this, i](runtime::Stream&) {
      RunSteps(i + 1);
      return runtime::kOk;
    });
    if (code != runtime::kOk)
      Fail(std::make_exception_ptr(Error::Internal("a stream of the model takes no more work")));
  }
  RunSteps(0);
  for (const auto& other : others_) other->Synchronize();
  if (error_) std::rethrow_exception(error_);

  const Node& net_output = *graph.NetOutput();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueId value = net_output.inputs[i];
    const TensorDesc& desc = graph.desc(value);
    const size_t bytes = DataTypeBytes(desc.dtype, desc.origin_shape.NumElements());
    outputs[i].shape = desc.origin_shape;
    if (outputs[i].data == nullptr && bytes > 0) {
      if (stream.device().Malloc(bytes, &outputs[i].data) != runtime::kOk) {
        throw Error::Internal("the device has no " + std::to_string(bytes) + " bytes for output " + std::to_string(i));
      }
      outputs[i].bytes = bytes;
    }
    if (outputs[i].bytes < bytes) {
      throw Error::Internal("output '" + info_.outputs[i].name + "' needs " + std::to_string(bytes) + " bytes, " +
                            std::to_string(outputs[i].bytes) + " were given");
    }
    if (bytes > 0) std::memcpy(outputs[i].data, Address(value), bytes);
  }
}

}  // namespace atc
