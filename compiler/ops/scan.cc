// ONNX's Scan: a body that runs once for each element of its scan inputs along an axis of each.
// Inputs of the node: sequence_lens (opset 8 alone, absent later), states, scan inputs, what the body captures. In opset 8
// every other input has a batch before everything else, and the axis that is scanned follows it.
#include <algorithm>
#include <optional>

#include "compiler/ops/families.h"
#include "compiler/ops/nested.h"
#include "compiler/ops/pieces.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

struct ScanSpec {
  Graph* body;
  size_t states, scanned, collected;
  bool batched;
  Ints in_axes, in_directions, out_axes, out_directions;  // one for each scan input or collected output
};

template <typename Context>
Ints OnePer(Context& ctx, const char* attr, size_t count) {
  Ints values = ctx.template Attr<Ints>(attr);
  if (values.empty()) values.assign(count, 0);
  if (values.size() != count) {
    ctx.Fail(std::string(attr) + " has " + std::to_string(values.size()) + " elements, " + std::to_string(count) +
             " are wanted");
  }
  return values;
}

template <typename Context>
ScanSpec SpecOf(Context& ctx) {
  ScanSpec spec;
  spec.body = FindNested(ctx.node(), "body");
  if (spec.body == nullptr) ctx.Fail("its graph 'body' is missing");
  const size_t formals = NumFormals(*spec.body), results = NumResults(*spec.body);
  const auto scanned = ctx.template Attr<int64_t>("num_scan_inputs");
  if (scanned < 1 || static_cast<size_t>(scanned) > formals || results + static_cast<size_t>(scanned) < formals ||
      ctx.num_inputs() < 1 + formals) {
    ctx.Fail("its body takes " + std::to_string(formals) + " inputs and has " + std::to_string(results) +
             " outputs, which does not fit to " + std::to_string(scanned) + " scan inputs");
  }
  spec.scanned = static_cast<size_t>(scanned);
  spec.states = formals - spec.scanned;
  spec.collected = results - spec.states;
  spec.batched = ctx.template Attr<int64_t>("opset") < 9;
  spec.in_directions = OnePer(ctx, spec.batched ? "directions" : "scan_input_directions", spec.scanned);
  spec.in_axes = spec.batched ? Ints(spec.scanned, 0) : OnePer(ctx, "scan_input_axes", spec.scanned);
  spec.out_axes = spec.batched ? Ints(spec.collected, 0) : OnePer(ctx, "scan_output_axes", spec.collected);
  spec.out_directions =
      spec.batched ? Ints(spec.collected, 0) : OnePer(ctx, "scan_output_directions", spec.collected);
  return spec;
}

// ---- inference ----

size_t InferAxis(const InferContext& ctx, int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) ctx.Fail("axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(n));
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

// Takes an axis out of a shape and returns its size.
int64_t TakeAxis(const InferContext& ctx, Shape& shape, int64_t axis) {
  if (!shape.HasRank()) return kUnknownDim;
  const size_t at = InferAxis(ctx, axis, shape.rank());
  const int64_t size = shape[at];
  shape.dims().erase(shape.dims().begin() + static_cast<std::ptrdiff_t>(at));
  return size;
}

void PutAxis(const InferContext& ctx, Shape& shape, int64_t axis, int64_t size) {
  if (!shape.HasRank()) return;
  const size_t at = InferAxis(ctx, axis, shape.rank() + 1);
  shape.dims().insert(shape.dims().begin() + static_cast<std::ptrdiff_t>(at), size);
}

void InferScan(InferContext& ctx) {
  const ScanSpec spec = SpecOf(ctx);
  int64_t batch = kUnknownDim, length = kUnknownDim;
  const auto without_batch = [&](size_t input) {
    Shape shape = ctx.InShape(input);
    if (spec.batched) {
      const int64_t size = TakeAxis(ctx, shape, 0);
      if (batch < 0) batch = size;
    }
    return shape;
  };
  std::vector<TensorDesc> states;
  for (size_t i = 0; i < spec.states; ++i) states.emplace_back(ctx.InType(1 + i), without_batch(1 + i));
  std::vector<InferContext::NestedInput> scanned;
  for (size_t i = 0; i < spec.scanned; ++i) {
    const size_t input = 1 + spec.states + i;
    Shape shape = without_batch(input);
    const int64_t size = TakeAxis(ctx, shape, spec.in_axes[i]);
    if (length >= 0 && size >= 0 && size != length) {
      ctx.Fail("its scan inputs have " + std::to_string(length) + " and " + std::to_string(size) + " elements");
    }
    if (length < 0) length = size;
    scanned.push_back({TensorDesc(ctx.InType(input), shape), {}});
  }
  const std::vector<TensorDesc> results = InferRepeated(ctx, *spec.body, {}, states, scanned, 0);
  if (results.empty()) return;
  for (size_t i = 0; i < spec.states + spec.collected; ++i) {
    Shape shape = i < spec.states ? states[i].origin_shape : results[i].origin_shape;
    if (i >= spec.states) PutAxis(ctx, shape, spec.out_axes[i - spec.states], length);
    if (spec.batched) PutAxis(ctx, shape, 0, batch);
    ctx.SetOut(i, results[i].dtype, shape);
  }
}

// ---- kernel ----

struct Results {
  std::vector<Tensor> states;
  std::vector<std::vector<Tensor>> collected;  // in order of their axes
};

Results Run(const KernelContext& ctx, const ScanSpec& spec, std::vector<Tensor> states,
            const std::vector<Tensor>& scanned, int64_t length) {
  Results results{std::move(states), std::vector<std::vector<Tensor>>(spec.collected)};
  for (int64_t step = 0; step < length; ++step) {
    std::vector<Tensor> formals = std::move(results.states);
    for (size_t i = 0; i < spec.scanned; ++i) {
      const size_t axis = CheckedAxis(ctx, spec.in_axes[i], scanned[i].rank());
      formals.push_back(Element(ctx, scanned[i], axis, spec.in_directions[i] == 0 ? step : length - 1 - step));
    }
    std::vector<Tensor> given = RunNested(ctx, *spec.body, std::move(formals));
    for (size_t i = 0; i < spec.collected; ++i) results.collected[i].push_back(std::move(given[spec.states + i]));
    given.resize(spec.states);
    results.states = std::move(given);
  }
  for (size_t i = 0; i < spec.collected; ++i) {
    if (spec.out_directions[i] != 0) std::reverse(results.collected[i].begin(), results.collected[i].end());
  }
  return results;
}

// An element of what is collected, all zeros: where the body did not run.
Tensor Nothing(const KernelContext& ctx, const ScanSpec& spec, size_t i) {
  const TensorDesc& desc = spec.body->desc(spec.body->NetOutput()->inputs[spec.states + i]);
  if (desc.dtype == DT_UNDEFINED) ctx.Fail("the type of what it collects is not known, and its body never ran");
  Shape shape = desc.origin_shape.HasRank() ? desc.origin_shape : Shape{};
  for (int64_t& dim : shape.dims()) dim = std::max<int64_t>(dim, 0);
  return Tensor::Allocate(desc.dtype, shape);
}

// Stacked; without elements it has the shape of `like` with none of it.
Tensor StackOrEmpty(const KernelContext& ctx, const std::vector<Tensor>& parts, const Tensor& like, int64_t axis) {
  if (!parts.empty()) return Stack(ctx, parts, axis);
  Shape shape = like.shape();
  const size_t at = CheckedAxis(ctx, axis, shape.rank() + 1);
  shape.dims().insert(shape.dims().begin() + static_cast<std::ptrdiff_t>(at), 0);
  return Tensor::Allocate(like.dtype(), shape);
}

int64_t LengthOf(const KernelContext& ctx, const ScanSpec& spec, const std::vector<Tensor>& scanned) {
  std::optional<int64_t> length;
  for (size_t i = 0; i < spec.scanned; ++i) {
    const int64_t size = scanned[i].dim(CheckedAxis(ctx, spec.in_axes[i], scanned[i].rank()));
    if (length && *length != size) {
      ctx.Fail("its scan inputs have " + std::to_string(*length) + " and " + std::to_string(size) + " elements");
    }
    length = size;
  }
  return *length;
}

std::vector<Tensor> Given(const KernelContext& ctx, size_t from, size_t count) {
  std::vector<Tensor> tensors;
  for (size_t i = from; i < from + count; ++i) {
    if (!ctx.HasInput(i)) ctx.Fail("input " + std::to_string(i) + " is missing");
    tensors.push_back(ctx.In(i));
  }
  return tensors;
}

void RunOnce(KernelContext& ctx, const ScanSpec& spec) {
  const std::vector<Tensor> scanned = Given(ctx, 1 + spec.states, spec.scanned);
  Results results = Run(ctx, spec, Given(ctx, 1, spec.states), scanned, LengthOf(ctx, spec, scanned));
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    if (i < spec.states) {
      ctx.SetOut(i, std::move(results.states[i]));
    } else {
      const size_t c = i - spec.states;
      const Tensor like = results.collected[c].empty() ? Nothing(ctx, spec, c) : Tensor();
      ctx.SetOut(i, StackOrEmpty(ctx, results.collected[c], like, spec.out_axes[c]));
    }
  }
}

void RunBatch(KernelContext& ctx, const ScanSpec& spec) {
  const std::vector<Tensor> states = Given(ctx, 1, spec.states);
  const std::vector<Tensor> scanned = Given(ctx, 1 + spec.states, spec.scanned);
  for (const Tensor& tensor : states) CheckedAxis(ctx, 0, tensor.rank());
  for (const Tensor& tensor : scanned) CheckedAxis(ctx, 1, tensor.rank());
  const int64_t batches = scanned[0].dim(0), longest = scanned[0].dim(1);
  Ints lengths(static_cast<size_t>(batches), longest);
  if (ctx.HasInput(0)) lengths = ToInts(ctx.In(0));
  if (lengths.size() != static_cast<size_t>(batches)) ctx.Fail("sequence_lens must have one element a batch");
  std::vector<std::vector<Tensor>> rows(spec.states + spec.collected);  // by output, one a batch
  for (int64_t b = 0; b < batches; ++b) {
    const int64_t length = lengths[b];
    if (length < 0 || length > longest) ctx.Fail("a sequence has " + std::to_string(length) + " elements of " + std::to_string(longest));
    std::vector<Tensor> initial, pieces;
    for (const Tensor& tensor : states) initial.push_back(Element(ctx, tensor, 0, b));
    for (const Tensor& tensor : scanned) pieces.push_back(Element(ctx, tensor, 0, b));
    Results results = Run(ctx, spec, std::move(initial), pieces, length);
    for (size_t i = 0; i < spec.states; ++i) rows[i].push_back(std::move(results.states[i]));
    for (size_t c = 0; c < spec.collected; ++c) {
      std::vector<Tensor>& all = results.collected[c];
      const Tensor like = all.empty() ? Nothing(ctx, spec, c) : Tensor::Allocate(all[0].dtype(), all[0].shape());
      all.resize(static_cast<size_t>(longest), like);  // zeros behind the end of a shorter sequence
      rows[spec.states + c].push_back(StackOrEmpty(ctx, all, like, 0));
    }
  }
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOut(i, Stack(ctx, rows[i], 0));
}

void ScanKernel(KernelContext& ctx) {
  const ScanSpec spec = SpecOf(ctx);
  if (ctx.num_outputs() > spec.states + spec.collected) ctx.Fail("it has more outputs than its body gives");
  spec.batched ? RunBatch(ctx, spec) : RunOnce(ctx, spec);
}

}  // namespace

void RegisterScanOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::Scan")
                   .OptIn("sequence_lens")
                   .DynIn("initial_state_and_scan_inputs")
                   .DynOut("final_state_and_scan_outputs")
                   .RequiredAttr("num_scan_inputs")
                   .Attr("directions", AttrValue(Ints()))
                   .Attr("opset", 9)
                   .Attr("scan_input_axes", AttrValue(Ints()))
                   .Attr("scan_input_directions", AttrValue(Ints()))
                   .Attr("scan_output_axes", AttrValue(Ints()))
                   .Attr("scan_output_directions", AttrValue(Ints()))
                   .On(Unit::kRts)
                   .Infer(InferScan)
                   .Kernel(ScanKernel));
}

}  // namespace atc
