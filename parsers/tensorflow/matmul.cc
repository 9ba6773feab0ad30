// Matrix products and Einsum.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

void ConvertMatMul(NodeContext& ctx) {
  Node& node = ctx.Pass("MatMulV2");
  node.attrs.Set("transpose_x1", ctx.Bool("transpose_a"));
  node.attrs.Set("transpose_x2", ctx.Bool("transpose_b"));
}

void ConvertBatchMatMul(NodeContext& ctx) {
  Node& node = ctx.Pass("BatchMatMulV2");
  node.attrs.Set("adj_x1", ctx.Bool("adj_x"));
  node.attrs.Set("adj_x2", ctx.Bool("adj_y"));
}

void ConvertEinsum(NodeContext& ctx) {
  Node& node = ctx.Pass("Einsum");
  node.attrs.Set("equation", AttrValue(ctx.String("equation")));
  node.attrs.Set("N", static_cast<int64_t>(ctx.num_inputs()));
}

}  // namespace

void RegisterMatMulConverters(ConverterRegistry& registry) {
  for (const char* op : {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"}) registry.Add(op, ConvertBatchMatMul);
  registry.Add("Einsum", ConvertEinsum);
  registry.Add("MatMul", ConvertMatMul);
}

}  // namespace atc::tf_parser
