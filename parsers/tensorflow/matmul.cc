// Matrix products, Einsum, and linear algebra.
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

// Version 2 has all diagonals at the left of their rows, as version 3 says with `align`.
void ConvertDiagonals(NodeContext& ctx, Name type) {
  Node& node = ctx.Pass(type);
  node.attrs.Set("align", AttrValue(ctx.op().ends_with("V2") ? std::string("LEFT_LEFT") : ctx.String("align", "RIGHT_LEFT")));
}

}  // namespace

void RegisterMatMulConverters(ConverterRegistry& registry) {
  for (const char* op : {"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"}) registry.Add(op, ConvertBatchMatMul);
  for (const char* op : {"Cholesky", "Diag", "DiagPart", "MatrixBandPart", "MatrixDeterminant", "MatrixDiag",
                         "MatrixDiagPart", "MatrixSetDiag"}) {
    registry.AddPass(op, op);
  }
  for (const char* version : {"V2", "V3"}) {
    const auto add = [&](const std::string& op, Name type) {
      registry.Add(op + version, [type](NodeContext& ctx) { ConvertDiagonals(ctx, type); });
    };
    add("MatrixDiag", "MatrixDiagV3");
    add("MatrixDiagPart", "MatrixDiagPartV3");
    add("MatrixSetDiag", "tf::MatrixSetDiagV3");
  }
  registry.Add("Cross", [](NodeContext& ctx) { ctx.Pass("Cross").attrs.Set("dim", int64_t{-1}); });
  registry.AddPassWithAttrs("MatrixInverse", "MatrixInverse");
  registry.AddKeep("MatrixSolve");
  registry.AddKeep("MatrixTriangularSolve");
  registry.Add("Einsum", ConvertEinsum);
  registry.Add("MatMul", ConvertMatMul);
}

}  // namespace atc::tf_parser
