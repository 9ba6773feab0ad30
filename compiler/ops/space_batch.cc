// Moving blocks of the plane to the batch and back: SpaceToBatchND, BatchToSpaceND, and the older forms with one block size.
#include <algorithm>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// Block sizes and paddings or crops, begin and end for each of the dims 1 to block.size().
struct Blocks {
  Ints block, edges;
  int64_t area = 1;
};

bool HasBlockAttr(const Node& node) { return node.def->FindAttr("block_size") != nullptr; }

template <typename Context>
Blocks Read(const Context& ctx, std::optional<Ints> block, std::optional<Ints> edges, const Shape& x) {
  Blocks blocks;
  if (HasBlockAttr(ctx.node())) block = Ints(2, ctx.template Attr<int64_t>("block_size"));
  blocks.block = *block;
  blocks.edges = *edges;
  if (blocks.edges.size() != 2 * blocks.block.size() || x.rank() < blocks.block.size() + 1) {
    ctx.Fail(std::to_string(blocks.block.size()) + " block sizes and " + std::to_string(blocks.edges.size()) +
             " edges do not fit x " + ToString(x));
  }
  for (const int64_t size : blocks.block) {
    if (size < 1 || size > 1 << 20) ctx.Fail("a block size is " + std::to_string(size) + ", wanted at least 1");
    blocks.area *= size;
  }
  for (const int64_t edge : blocks.edges) {
    if (edge < 0) ctx.Fail("a padding or crop is " + std::to_string(edge) + ", wanted at least 0");
  }
  return blocks;
}

template <bool kToBatch, typename Context>
Shape Moved(const Context& ctx, const Blocks& blocks, const Shape& x) {
  Shape shape = x;
  if (x[0] >= 0) {
    if (!kToBatch && x[0] % blocks.area != 0) {
      ctx.Fail("the batch of x " + ToString(x) + " is no multiple of " + std::to_string(blocks.area));
    }
    shape[0] = kToBatch ? x[0] * blocks.area : x[0] / blocks.area;
  }
  for (size_t d = 0; d < blocks.block.size(); ++d) {
    if (x[d + 1] < 0) continue;
    const int64_t around = blocks.edges[2 * d] + blocks.edges[2 * d + 1];
    const int64_t size = kToBatch ? x[d + 1] + around : x[d + 1] * blocks.block[d] - around;
    if (size < 0 || (kToBatch && size % blocks.block[d] != 0)) {
      ctx.Fail("axis " + std::to_string(d + 1) + " of x " + ToString(x) + " does not fit blocks of " +
               std::to_string(blocks.block[d]) + " with edges of " + std::to_string(around));
    }
    shape[d + 1] = kToBatch ? size / blocks.block[d] : size;
  }
  return shape;
}

size_t EdgesInput(const Node& node) { return HasBlockAttr(node) ? 1 : 2; }

template <bool kToBatch>
void InferMove(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), x);
  const auto block = HasBlockAttr(ctx.node()) ? std::optional(Ints{}) : ctx.KnownInts(1);
  const auto edges = ctx.KnownInts(EdgesInput(ctx.node()));
  if (block && edges) return ctx.SetOut(0, ctx.InType(0), Moved<kToBatch>(ctx, Read(ctx, block, edges, x), x));
  // Only the dims behind the blocked ones stay.
  Shape shape = x;
  const Shape& count = ctx.InShape(1);
  const auto blocked = static_cast<size_t>(count.HasRank() && count.rank() >= 1 && count[0] >= 0 ? count[0] : 1 << 20);
  for (size_t d = 0; d < shape.rank() && d <= blocked; ++d) shape[d] = kUnknownDim;
  ctx.SetOut(0, ctx.InType(0), shape);
}

// Element (o, ..., p) of block element b lies at p * block + b - edge of the plane.
template <bool kToBatch>
void MoveKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const auto block = HasBlockAttr(ctx.node()) ? std::optional(Ints{}) : std::optional(ToInts(ctx.In(1)));
  const Blocks blocks = Read(ctx, block, ToInts(ctx.In(EdgesInput(ctx.node()))), x.shape());
  const Shape shape = Moved<kToBatch>(ctx, blocks, x.shape());
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  const Tensor& small_owner = kToBatch ? y : x;   // batch of blocks
  const Tensor& plane_owner = kToBatch ? x : y;
  if (kToBatch) std::fill_n(y.MutableData(), y.NumBytes(), std::byte{0});
  const Ints batch_strides = small_owner.shape().Strides(), plane_strides = plane_owner.shape().Strides();
  const int64_t batch = plane_owner.dim(0);
  const size_t spatial = blocks.block.size();
  for (int64_t b = 0; b < blocks.area; ++b) {
    Shape part = small_owner.shape();
    part[0] = batch;
    Region in_batch{b * batch * batch_strides[0], batch_strides}, in_plane{0, plane_strides};
    int64_t rest = b;
    bool any = true;
    for (size_t d = spatial; d-- > 0;) {
      const int64_t offset = rest % blocks.block[d] - blocks.edges[2 * d];
      rest /= blocks.block[d];
      // First and last block rows whose element lies inside of the plane.
      const int64_t size = plane_owner.dim(d + 1), step = blocks.block[d];
      const int64_t first = offset >= 0 ? 0 : (-offset + step - 1) / step;
      const int64_t last = std::min(part[d + 1], size - offset <= 0 ? 0 : (size - offset + step - 1) / step);
      any &= last > first;
      in_batch.offset += first * batch_strides[d + 1];
      in_plane.offset += (first * step + offset) * plane_strides[d + 1];
      in_plane.strides[d + 1] *= step;
      part[d + 1] = std::max<int64_t>(0, last - first);
    }
    if (!any) continue;
    MoveRegion(ctx, part, x, kToBatch ? in_plane : in_batch, &y, kToBatch ? in_batch : in_plane);
  }
}

template <bool kToBatch>
void Add(OpRegistry& registry, const char* nd, const char* two, const char* edges) {
  registry.Add(OpDef(nd).In("x").In("block_shape").In(edges).Out("y").Traits(kHalfNative).Infer(InferMove<kToBatch>)
                   .Kernel(MoveKernel<kToBatch>));
  registry.Add(OpDef(two).In("x").In(edges).Out("y").RequiredAttr("block_size").Traits(kHalfNative)
                   .Infer(InferMove<kToBatch>).Kernel(MoveKernel<kToBatch>));
}

}  // namespace

void RegisterSpaceBatchOps(OpRegistry& registry) {
  Add<true>(registry, "SpaceToBatchND", "SpaceToBatch", "paddings");
  Add<false>(registry, "BatchToSpaceND", "BatchToSpace", "crops");
}

}  // namespace atc
