#include "compiler/ops/broadcast.h"

namespace atc {
namespace {

// Strides of `shape` seen as `out`: 0 along dims that it lacks or repeats.
std::vector<int64_t> StridesIn(const Shape& out, const Shape& shape) {
  assert(shape.rank() <= out.rank());
  std::vector<int64_t> strides(out.rank(), 0);
  int64_t stride = 1;
  for (size_t i = 0; i < shape.rank(); ++i) {
    const int64_t dim = shape[shape.rank() - 1 - i];
    assert(dim == 1 || dim == out[out.rank() - 1 - i]);
    strides[out.rank() - 1 - i] = dim == 1 ? 0 : stride;
    stride *= dim;
  }
  return strides;
}

}  // namespace

BroadcastPlan PlanBroadcast(const Shape& out, const std::vector<Shape>& operands) {
  std::vector<std::vector<int64_t>> strides;
  for (const Shape& shape : operands) strides.push_back(StridesIn(out, shape));
  BroadcastPlan plan;
  plan.strides.resize(operands.size());
  for (size_t d = 0; d < out.rank(); ++d) {
    if (out[d] == 1) continue;
    // Dim d continues the previous one if, for each operand, one step there is a whole run here (0 for both is one too).
    bool merge = !plan.dims.empty();
    for (size_t n = 0; merge && n < operands.size(); ++n) {
      merge = plan.strides[n].back() == strides[n][d] * out[d];
    }
    if (merge) {
      plan.dims.back() *= out[d];
    } else {
      plan.dims.push_back(out[d]);
    }
    for (size_t n = 0; n < operands.size(); ++n) {
      if (merge) {
        plan.strides[n].back() = strides[n][d];
      } else {
        plan.strides[n].push_back(strides[n][d]);
      }
    }
  }
  if (plan.dims.empty()) {
    plan.dims.push_back(1);
    for (auto& operand : plan.strides) operand.push_back(0);
  }
  return plan;
}

void RunBroadcast(const std::vector<const Tensor*>& operands, Tensor& out, RowFn row, const void* fn) {
  assert(operands.size() <= 3);
  std::vector<Shape> shapes;
  for (const Tensor* operand : operands) shapes.push_back(operand->shape());
  const BroadcastPlan plan = PlanBroadcast(out.shape(), shapes);
  std::array<int64_t, 3> steps{};
  std::array<size_t, 3> widths{};
  for (size_t i = 0; i < operands.size(); ++i) {
    steps[i] = plan.strides[i].back();
    widths[i] = DataTypeBits(operands[i]->dtype()) / 8;
  }
  const size_t out_width = DataTypeBits(out.dtype()) / 8;
  const auto run = [&]<size_t N>() {
    ForEachRow<N>(plan, [&](int64_t at, const std::array<int64_t, N>& from) {
      std::array<const std::byte*, N> data;
      for (size_t i = 0; i < N; ++i) data[i] = operands[i]->Data() + from[i] * widths[i];
      row(data.data(), steps.data(), out.MutableData() + at * out_width, plan.inner(), fn);
    });
  };
  if (operands.size() == 3) {
    run.template operator()<3>();
  } else {
    run.template operator()<2>();
  }
}

Shape BroadcastInputShapes(const KernelContext& ctx) {
  Shape shape;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.HasInput(i)) continue;
    Shape wider;
    if (!BroadcastShapes(shape, ctx.InShape(i), &wider)) {
      ctx.Fail("shapes " + ToString(shape) + " and " + ToString(ctx.InShape(i)) +
               " do not broadcast: dims must be equal or 1");
    }
    shape = std::move(wider);
  }
  return shape;
}

}  // namespace atc
