#include "backend/executor/nested_plans.h"

#include <algorithm>

#include "backend/executor/shape_plan.h"
#include "backend/executor/static_model.h"

namespace atc {
namespace {

// Plans of one graph; so many more than were found again, and no further one is made.
constexpr size_t kMostPlans = 16;
constexpr size_t kMostInVain = 2;

}  // namespace

NestedPlans::NestedPlans(const OmModel& model, const LoadOptions& options) : model_(model), options_(options) {
  options_.work = nullptr;
  options_.siblings.reset();
}
NestedPlans::~NestedPlans() = default;

StaticModel* NestedPlans::Find(const Graph& graph, const std::vector<Tensor>& inputs) {
  Plans& plans = plans_[&graph];
  for (Plan& plan : plans.all) {
    bool same = plan.shapes.size() == inputs.size();
    for (size_t i = 0; same && i < inputs.size(); ++i) {
      same = inputs[i].defined() && plan.types[i] == inputs[i].dtype() && plan.shapes[i] == inputs[i].shape();
    }
    if (!same) continue;
    ++plans.found;
    return plan.model.get();
  }
  if (plans.all.size() >= std::min(kMostPlans, plans.found + kMostInVain)) return nullptr;
  std::vector<Shape> shapes;
  std::vector<DataType> types;
  for (const Tensor& input : inputs) {
    if (!input.defined()) return nullptr;
    shapes.push_back(input.shape());
    types.push_back(input.dtype());
  }
  return Make(graph, plans, std::move(shapes), std::move(types));
}

StaticModel* NestedPlans::Make(const Graph& graph, Plans& plans, std::vector<Shape> shapes,
                               std::vector<DataType> types) {
  const std::vector<NodeId> data = graph.Inputs();
  for (size_t i = 0; i < types.size(); ++i) {
    if (i >= data.size() || !HasFixedBytes(types[i])) return nullptr;
    if (graph.desc(graph.node(data[i]).outputs[0]).dtype != types[i]) return nullptr;
  }
  Plan plan{std::move(shapes), std::move(types), nullptr};
  plan.model = PlanForShapes(model_, graph, plan.shapes, options_);
  if (plan.model) bytes_ += plan.model->info().peak_bytes - plan.model->info().weight_bytes;
  return plans.all.emplace_back(std::move(plan)).model.get();
}

void NestedPlans::Prepare(const Graph& graph, const std::vector<TensorDesc>& inputs) {
  std::vector<Shape> shapes;
  std::vector<DataType> types;
  for (const TensorDesc& input : inputs) {
    if (!input.origin_shape.IsKnown()) return;
    shapes.push_back(input.origin_shape);
    types.push_back(input.dtype);
  }
  Make(graph, plans_[&graph], std::move(shapes), std::move(types));
}

std::optional<std::vector<Tensor>> NestedPlans::Run(const Graph& graph, const std::vector<Tensor>& inputs) {
  StaticModel* const plan = Find(graph, inputs);
  if (plan == nullptr) return std::nullopt;
  std::vector<TensorView> from;
  for (const Tensor& input : inputs) {
    from.push_back({const_cast<std::byte*>(input.Data()), input.NumBytes(), input.shape()});
  }
  std::vector<Tensor> results;
  std::vector<TensorView> to;
  for (const TensorInfo& info : plan->info().outputs) {
    results.push_back(Tensor::Allocate(info.dtype, info.shape));
    to.push_back({results.back().MutableData<std::byte>(), results.back().NumBytes(), info.shape});
  }
  plan->Run(from, to);
  return results;
}

}  // namespace atc
