#include "backend/executor/dynamic_model.h"

#include <algorithm>
#include <cstring>

#include "backend/executor/describe.h"
#include "backend/executor/shape_plan.h"
#include "backend/executor/value_codec.h"
#include "backend/runtime/device.h"
#include "backend/runtime/stream.h"
#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

// Why an input of shape `given` is none that the model was converted for; empty when it is one.
std::string Misfit(const TensorInfo& declared, const Shape& given) {
  if (!declared.shape.HasRank()) return "";
  std::string wanted;
  bool fits = given.rank() == declared.shape.rank();
  for (size_t i = 0; i < declared.shape.rank(); ++i) {
    const bool ranged = i < declared.ranges.size();
    const auto [least, most] = ranged ? declared.ranges[i] : std::pair<int64_t, int64_t>{0, -1};
    const int64_t dim = declared.shape[i];
    wanted += (i > 0 ? "," : "") + (dim >= 0  ? std::to_string(dim)
                                    : !ranged ? "-1"
                                              : std::to_string(least) + "~" + (most < 0 ? "" : std::to_string(most)));
    if (!fits) continue;
    fits = dim >= 0 ? given[i] == dim : given[i] >= least && (most < 0 || given[i] <= most);
  }
  return fits ? "" : "has shape " + ToString(given) + ", the model was converted for [" + wanted + "]";
}

}  // namespace

DynamicModel::DynamicModel(OmModel model, const LoadOptions& options)
    : model_(std::move(model)), info_(DescribeModel(model_)), options_(options), kernels_(model_, options) {
  options_.work = nullptr;  // a caller's memory was sized without knowing the shapes
  options_.siblings.reset();
  info_.peak_bytes = info_.weight_bytes;
  // Where the inputs leave nothing open, there is one plan, or none.
  std::vector<Shape> shapes;
  for (const TensorInfo& input : info_.inputs) shapes.push_back(input.shape);
  if (std::all_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.IsKnown(); })) FindPlan(shapes);
}

StaticModel* DynamicModel::FindPlan(std::vector<Shape> shapes) {
  for (const TensorInfo& input : info_.inputs) {
    if (!HasFixedBytes(input.dtype)) return nullptr;
  }
  const auto found =
      std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) { return plan.inputs == shapes; });
  if (found != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, found);
  } else {
    std::unique_ptr<StaticModel> model = PlanForShapes(model_, *model_.graph, shapes, options_);
    if (plans_.size() == kMaxPlans) plans_.pop_back();
    plans_.push_front({std::move(shapes), std::move(model)});
    uint64_t bytes = info_.weight_bytes;
    for (const Plan& plan : plans_) {
      if (plan.model) bytes += plan.model->info().peak_bytes - plan.model->info().weight_bytes;
    }
    info_.peak_bytes = std::max(info_.peak_bytes, bytes);
  }
  Plan& plan = plans_.front();
  if (plan.model && plan.profile != profile_) {
    plan.model->SetProfile(profile_);
    plan.profile = profile_;
  }
  if (plan.model && observer_ && !plan.observed) {
    plan.model->SetObserver(observer_);
    plan.observed = true;
  }
  return plan.model.get();
}

void DynamicModel::SetProfile(RunProfile* profile) {
  profile_ = profile;
  profiled_as_.assign(model_.graph->node_capacity(), kNoId);
  for (Plan& plan : plans_) {
    if (plan.model) plan.model->SetProfile(nullptr);
    plan.profile = nullptr;
  }
}

void DynamicModel::SetObserver(NodeObserver observer) {
  observer_ = std::move(observer);
  for (Plan& plan : plans_) {
    if (plan.model) plan.model->SetObserver({});
    plan.observed = false;
  }
}

void DynamicModel::AddSpan(const Node& node, uint64_t start, uint64_t end) {
  if (profiled_as_[node.id] == kNoId) {
    profiled_as_[node.id] = static_cast<uint32_t>(profile_->tasks.size());
    Task task;
    task.id = node.id;
    task.op_index = node.id;
    profile_->tasks.push_back(DescribeTask(*model_.graph, task));
  }
  profile_->spans.push_back({profile_->runs, profiled_as_[node.id], 1, start, end});
}

void DynamicModel::Tell(const Node& node, const std::vector<Tensor>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) continue;
    NodeTensor tensor;
    tensor.graph = model_.graph.get();
    tensor.node = &node;
    tensor.port = static_cast<uint32_t>(i);
    tensor.position = position_;
    tensor.task = node.id;
    tensor.value = node.outputs[i];
    tensor.data = outputs[i];
    observer_.tell(tensor);
  }
  ++position_;
}

// A node's time is that between the end of the one before it and its own.
std::vector<Tensor> DynamicModel::EvaluateAll(std::vector<Tensor> arguments) {
  EvaluateOptions options;
  options.kept = &kept_;
  options.runner = &kernels_;
  uint64_t start = ProfileClock();
  position_ = 0;
  if (profile_ || observer_) {
    options.observe = [&](const Graph& graph, const Node& node, const std::vector<Tensor>& outputs) {
      const uint64_t end = ProfileClock();
      if (&graph != model_.graph.get() || node.Is(kNoTask)) return;
      if (profile_) AddSpan(node, start, end);
      if (observer_) Tell(node, outputs);
      start = ProfileClock();
    };
  }
  std::vector<Tensor> results = Evaluate(*model_.graph, std::move(arguments), options);
  if (profile_) ++profile_->runs;
  return results;
}

void DynamicModel::Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DataType dtype = info_.inputs[i].dtype;
    if (const std::string misfit = Misfit(info_.inputs[i], inputs[i].shape); !misfit.empty()) {
      throw Error::Internal("input '" + info_.inputs[i].name + "' " + misfit);
    }
    const size_t least =
        IsSerialised(dtype) || !inputs[i].shape.IsKnown() ? 0 : DataTypeBytes(dtype, inputs[i].shape.NumElements());
    if (!inputs[i].shape.IsKnown() || inputs[i].bytes < least) {
      throw Error::Internal("input '" + info_.inputs[i].name + "' of shape " + ToString(inputs[i].shape) +
                            " has only " + std::to_string(inputs[i].bytes) + " bytes");
    }
  }
  std::vector<Shape> shapes;
  for (const TensorView& input : inputs) shapes.push_back(input.shape);
  if (StaticModel* plan = FindPlan(std::move(shapes))) {
    plan->Execute(inputs, outputs, stream);
  } else {
    RunByOperator(inputs, outputs, stream);
  }
}

void DynamicModel::RunByOperator(std::span<const TensorView> inputs, std::span<TensorView> outputs,
                                 runtime::Stream& stream) {
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DataType dtype = info_.inputs[i].dtype;
    if (IsSerialised(dtype)) {
      const std::span bytes(static_cast<const std::byte*>(inputs[i].data), inputs[i].bytes);
      arguments.push_back(ParseElements(dtype, inputs[i].shape, bytes));
      continue;
    }
    Buffer view;
    view.data = static_cast<std::byte*>(inputs[i].data);
    view.size = inputs[i].bytes;
    arguments.emplace_back(dtype, inputs[i].shape, view);
  }
  const std::vector<Tensor> results = EvaluateAll(std::move(arguments));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& result = results[i];
    outputs[i].shape = result.shape();
    const bool serialised = IsSerialised(result.dtype());
    const std::string record = serialised ? SerialiseElements(result) : std::string();
    const size_t bytes = serialised ? record.size() : result.NumBytes();
    if (outputs[i].data == nullptr && bytes > 0) {
      if (stream.device().Malloc(bytes, &outputs[i].data) != runtime::kOk) {
        throw Error::Internal("the device has no " + std::to_string(bytes) + " bytes for output " + std::to_string(i));
      }
      outputs[i].bytes = bytes;
    }
    if (outputs[i].bytes < bytes) {
      throw Error::Internal("output '" + info_.outputs[i].name + "' needs " + std::to_string(bytes) +
                            " bytes for shape " + ToString(result.shape()) + ", " + std::to_string(outputs[i].bytes) +
                            " were given");
    }
    if (bytes > 0) std::memcpy(outputs[i].data, serialised ? record.data() : result.Data<char>(), bytes);
  }
}

}  // namespace atc
