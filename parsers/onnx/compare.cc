// Comparisons, boolean logic and selection.
#include "parsers/onnx/elementwise.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

struct Comparison {
  const char* onnx;
  int since;
  const char* ascend;
};

// AscendIR has no exclusive or of bools; it is the inequality of them.
constexpr Comparison kComparisons[] = {
    {"And", 1, "LogicalAnd"},          {"Equal", 1, "Equal"}, {"Greater", 1, "Greater"},
    {"GreaterOrEqual", 12, "GreaterEqual"}, {"Less", 1, "Less"},   {"LessOrEqual", 12, "LessEqual"},
    {"Or", 1, "LogicalOr"},            {"Xor", 1, "NotEqual"},
};

}  // namespace

void RegisterCompareConverters(ConverterRegistry& registry) {
  for (const Comparison& op : kComparisons) {
    registry.Add(op.onnx, op.since, [type = Name(op.ascend)](NodeContext& ctx) { EmitBinary(ctx, type); });
  }
  registry.Add("Where", 9, [](NodeContext& ctx) { ctx.Pass("SelectV2"); });
}

}  // namespace atc::onnx_parser
