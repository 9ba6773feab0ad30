// Padding and cropping.
#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"
#include "compiler/ops/operand_shape.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/scalar.h"

namespace atc {
namespace {

// Elements added before and behind each axis; negative ones crop.
struct Pads {
  std::vector<int64_t> begin, end;
};

// From the list of an input or attribute: all begins and then all ends, of `axes` or of every axis; or, when
// `interleaved`, begin and end of one axis after the other. Nothing when the list does not fit the rank.
std::optional<Pads> ReadPads(const std::vector<int64_t>& list, const std::optional<std::vector<int64_t>>& axes,
                             size_t rank, bool interleaved) {
  Pads pads{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 0)};
  const size_t count = axes ? axes->size() : rank;
  if (list.size() != 2 * count) return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = axes ? (*axes)[i] : static_cast<int64_t>(i);
    if (axis < 0) axis += static_cast<int64_t>(rank);
    if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
    pads.begin[axis] = list[interleaved ? 2 * i : i];
    pads.end[axis] = list[interleaved ? 2 * i + 1 : i + count];
  }
  return pads;
}

const std::vector<int64_t>* PadsAttr(const Node& node) {
  for (const Name name : {Name("pads"), Name("paddings")}) {
    if (const auto* list = node.attrs.FindAs<std::vector<int64_t>>(name)) return list;
  }
  return nullptr;
}

bool IsInterleaved(const Node& node) {
  return node.def->FindAttr("paddings_contiguous") && node.Attr<bool>("paddings_contiguous");
}

std::string DoesNotFit(const std::vector<int64_t>& list, const Shape& x) {
  return std::to_string(list.size()) + " paddings do not fit input " + ToString(x) +
         ": two are needed for each axis that is padded";
}

// Paddings of one axis that no tensor can have are told before anything is computed from them.
template <typename Context>
void RequireCountable(const Context& ctx, size_t axis, int64_t begin, int64_t end) {
  constexpr int64_t kMost = int64_t{1} << 31;
  if (begin > -kMost && begin < kMost && end > -kMost && end < kMost) return;
  ctx.Fail("the paddings of axis " + std::to_string(axis) + " are " + std::to_string(begin) + " and " +
           std::to_string(end) + ", wanted numbers between -" + std::to_string(kMost) + " and " + std::to_string(kMost));
}


template <typename Context>
[[noreturn]] void FailOnConstant(const Context& ctx) {
  ctx.Fail("the constant must be one value of type " + std::string(DataTypeName(ctx.InType(0))));
}

// The constant, and how many paddings there are, whatever they are.
void CheckPadOperands(const InferContext& ctx) {
  if (ctx.HasInput(2)) {
    RequireElements(ctx, 2, 1);
    if (ctx.InType(2) != ctx.InType(0)) FailOnConstant(ctx);
  }
  RequireIntegers(ctx, 1);
  RequireIntegers(ctx, 3);
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank() || PadsAttr(ctx.node()) != nullptr || !ctx.HasInput(1)) return;
  if (!ctx.HasInput(3)) {
    RequireElements(ctx, 1, 2 * static_cast<int64_t>(x.rank()));
  } else if (ctx.InShape(3).IsKnown()) {
    RequireElements(ctx, 1, 2 * ctx.InShape(3).NumElements());
  }
}

// A padding that depends on data.
constexpr int64_t kOpen = std::numeric_limits<int64_t>::min();

// The paddings of the node as far as they are known; nothing when not even their number is.
std::optional<std::vector<int64_t>> KnownPads(const InferContext& ctx) {
  if (const auto* attr = PadsAttr(ctx.node())) return *attr;
  const std::optional<PartialInts> partial = ctx.Ints(1);
  if (!partial) return std::nullopt;
  std::vector<int64_t> list;
  for (const std::optional<int64_t>& element : partial->elements) list.push_back(element.value_or(kOpen));
  return list;
}

void InferPad(InferContext& ctx) {
  CheckPadOperands(ctx);
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), x);
  const std::optional<std::vector<int64_t>> list = KnownPads(ctx);
  std::optional<std::vector<int64_t>> axes;
  if (ctx.HasInput(3)) {
    axes = ctx.KnownInts(3);
    if (!axes) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(x.rank()));
  }
  if (!list) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownDims(x.rank()));
  const auto pads = ReadPads(*list, axes, x.rank(), IsInterleaved(ctx.node()));
  if (!pads) ctx.Fail(DoesNotFit(*list, x));
  Shape shape = x;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (pads->begin[d] == kOpen || pads->end[d] == kOpen) {
      shape[d] = kUnknownDim;
      continue;
    }
    RequireCountable(ctx, d, pads->begin[d], pads->end[d]);
    if (x[d] == kUnknownDim) continue;
    shape[d] = x[d] + pads->begin[d] + pads->end[d];
    if (shape[d] < 0) ctx.Fail("the paddings of axis " + std::to_string(d) + " crop more than its " + std::to_string(x[d]));
  }
  ctx.SetOut(0, ctx.InType(0), shape);
}

// Where each place along a padded axis comes from; -1: the constant. Cropping comes first, so that a mirrored border
// mirrors what is left.
std::vector<int64_t> Sources(const KernelContext& ctx, const std::string& mode, int64_t dim, int64_t begin, int64_t end) {
  const int64_t first = std::max<int64_t>(0, -begin);
  const int64_t left = dim - first - std::max<int64_t>(0, -end);
  begin = std::max<int64_t>(0, begin);
  end = std::max<int64_t>(0, end);
  if (left < 0) ctx.Fail("the paddings crop more than the " + std::to_string(dim) + " elements of an axis");
  if (left == 0 && begin + end > 0 && mode != "constant") {
    ctx.Fail("mode " + mode + " has nothing to repeat along an axis without elements");
  }
  std::vector<int64_t> sources;
  for (int64_t at = -begin; at < left + end; ++at) {
    int64_t from = at;
    if (at < 0 || at >= left) {
      if (mode == "constant") {
        from = -1;
      } else if (mode == "edge") {
        from = at < 0 ? 0 : left - 1;
      } else if (mode == "wrap" || mode == "circular") {
        from = ((at % left) + left) % left;
      } else {  // reflect excludes the border element, symmetric repeats it
        const bool symmetric = mode == "symmetric";
        const int64_t period = symmetric ? 2 * left : std::max<int64_t>(1, 2 * left - 2);
        from = ((at % period) + period) % period;
        if (from >= left) from = symmetric ? period - 1 - from : period - from;
      }
    }
    sources.push_back(from < 0 ? -1 : from + first);
  }
  return sources;
}

// Copies what `sources` says, dim by dim from `d` on; `from` is -1 inside the constant border.
template <typename T>
struct PadCopy {
  const std::vector<std::vector<int64_t>>& sources;
  const std::vector<int64_t>& strides;
  const T* x;
  const T value;
  T* y;

  void Run(size_t d, int64_t from) {
    if (d == sources.size()) {
      *y++ = from < 0 ? value : x[from];
      return;
    }
    for (const int64_t source : sources[d]) Run(d + 1, from < 0 || source < 0 ? -1 : from + source * strides[d]);
  }
};

void PadKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const auto* attr = PadsAttr(ctx.node());
  if (!attr && !ctx.HasInput(1)) ctx.Fail("the paddings are missing");
  const std::vector<int64_t> list = attr ? *attr : ToInts(ctx.In(1));
  std::optional<std::vector<int64_t>> axes;
  if (ctx.HasInput(3)) axes = ToInts(ctx.In(3));
  const auto pads = ReadPads(list, axes, x.rank(), IsInterleaved(ctx.node()));
  if (!pads) ctx.Fail(DoesNotFit(list, x));
  std::string mode = ctx.Attr<std::string>("mode");
  for (char& c : mode) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  static constexpr const char* kModes[] = {"constant", "reflect", "symmetric", "edge", "wrap", "circular"};
  if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes)) {
    ctx.Fail("attribute mode is '" + mode + "', it must be constant, reflect, symmetric, edge or wrap");
  }
  std::vector<std::vector<int64_t>> sources;
  Shape shape = x;
  for (size_t d = 0; d < x.rank(); ++d) {
    RequireCountable(ctx, d, pads->begin[d], pads->end[d]);
    sources.push_back(Sources(ctx, mode, x[d], pads->begin[d], pads->end[d]));
    shape[d] = static_cast<int64_t>(sources.back().size());
  }
  Tensor& out = ctx.Out(0, ctx.InType(0), shape);
  // Before opset 11 the constant is an attribute.
  Tensor value = ctx.HasInput(2) ? ctx.In(2) : ScalarOf(ctx.InType(0), ctx.node().attrs.Get<float>("value", 0.0f));
  if (ctx.HasInput(2) && (ctx.InType(2) != ctx.InType(0) || ctx.In(2).NumElements() != 1)) {
    FailOnConstant(ctx);
  }
  const std::vector<int64_t> strides = x.Strides();
  if (mode == "constant") {
    if (!value.defined()) value = Tensor::Allocate(ctx.InType(0), Shape(std::vector<int64_t>{}));
    MoveRegion(ctx, shape, value, {0, std::vector<int64_t>(x.rank(), 0)}, &out, {0, shape.Strides()});
    Shape left = x;
    Region source{0, strides}, target{0, shape.Strides()};
    for (size_t d = 0; d < x.rank(); ++d) {
      const int64_t first = std::max<int64_t>(0, -pads->begin[d]);
      left[d] = x[d] - first - std::max<int64_t>(0, -pads->end[d]);
      source.offset += first * source.strides[d];
      target.offset += std::max<int64_t>(0, pads->begin[d]) * target.strides[d];
    }
    return MoveRegion(ctx, left, ctx.In(0), source, &out, target);
  }
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    PadCopy<T>{sources, strides, ctx.In(0).Data<T>(), value.defined() ? *value.Data<T>() : T{}, out.MutableData<T>()}
        .Run(0, 0);
  });
}

}  // namespace

void RegisterPadOps(OpRegistry& registry) {
  registry.Add(OpDef("MirrorPad").In("x").In("paddings").Out("y").RequiredAttr("mode")
                   .Attr("paddings_contiguous", true).Traits(kHalfNative).Infer(InferPad).Kernel(PadKernel));
  registry.Add(OpDef("PadV3").In("x").In("paddings").OptIn("constant_values").Out("y").Attr("mode", "constant")
                   .Attr("paddings_contiguous", true).Traits(kHalfNative).Infer(InferPad).Kernel(PadKernel));
  registry.Add(OpDef("onnx::Pad").In("data").OptIn("pads").OptIn("constant_value").OptIn("axes").Out("output")
                   .Attr("mode", "constant").Attr("opset", 0).Traits(kHalfNative).Infer(InferPad).Kernel(PadKernel));
}

}  // namespace atc
