// Reductions over axes, and running sums.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

struct Reduction {
  const char* tf;
  const char* ascend;
};

constexpr Reduction kReductions[] = {
    {"All", "ReduceAll"}, {"Any", "ReduceAny"},   {"Max", "ReduceMax"}, {"Mean", "ReduceMean"},
    {"Min", "ReduceMin"}, {"Prod", "ReduceProd"}, {"Sum", "ReduceSum"},
};

void Reduce(NodeContext& ctx, Name type) { ctx.Pass(type).attrs.Set("keep_dims", ctx.Bool("keep_dims")); }

void EuclideanNorm(NodeContext& ctx) {
  const ValueId square = ctx.Emit("Square", {ctx.In(0)}, 1, "square").outputs[0];
  Node& sum = ctx.Emit("ReduceSum", {square, ctx.In(1)}, 1, "sum");
  sum.attrs.Set("keep_dims", ctx.Bool("keep_dims"));
  ctx.SetOutput(0, ctx.Emit("Sqrt", {sum.outputs[0]}).outputs[0]);
}

void L2Loss(NodeContext& ctx) {
  const int64_t rank = ctx.Rank(0);
  if (rank < 0) ctx.Fail("the rank of its input is not known");
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < rank; ++d) axes.push_back(d);
  const ValueId square = ctx.Emit("Square", {ctx.In(0)}, 1, "square").outputs[0];
  const ValueId sum = ctx.Emit("ReduceSum", {square, ctx.ConstInts(axes, "axes")}, 1, "sum").outputs[0];
  const ValueId half = ctx.Const(ScalarOf(ctx.Type("T", DT_FLOAT), 0.5), "half");
  ctx.SetOutput(0, ctx.Emit("Mul", {sum, half}).outputs[0]);
}

void Cumulative(NodeContext& ctx) {
  Node& node = ctx.Pass(ctx.op());
  node.attrs.Set("exclusive", ctx.Bool("exclusive"));
  node.attrs.Set("reverse", ctx.Bool("reverse"));
}

}  // namespace

void RegisterReductionConverters(ConverterRegistry& registry) {
  for (const Reduction& op : kReductions) {
    registry.Add(op.tf, [type = Name(op.ascend)](NodeContext& ctx) { Reduce(ctx, type); });
  }
  registry.Add("CumulativeLogsumexp", Cumulative);
  registry.Add("Cumprod", Cumulative);
  registry.Add("Cumsum", Cumulative);
  registry.Add("EuclideanNorm", EuclideanNorm);
  registry.Add("L2Loss", L2Loss);
}

}  // namespace atc::tf_parser
