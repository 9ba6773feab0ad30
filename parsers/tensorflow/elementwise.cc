// Functions of one and two operands, comparisons and logic.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

struct Renamed {
  const char* tf;
  const char* ascend;
};

constexpr Renamed kRenamed[] = {
    {"AddV2", "Add"},   {"MulNoNan", "MulNoNan"}, {"Xdivy", "Xdivy"},          {"Xlog1py", "Xlog1py"},
    {"Xlogy", "Xlogy"},   {"DivNoNan", "DivNoNan"}, {"Inv", "Reciprocal"},       {"Mod", "Mod"},
    {"Rint", "Round"},  {"RealDiv", "RealDiv"},   {"TruncateMod", "Mod"},
};

// Sorted.
constexpr const char* kSame[] = {
    "Abs",        "Acos",         "Acosh",      "Asin",      "Asinh",        "Atan",         "Atan2",
    "Atanh",      "BitwiseAnd",   "BitwiseOr",  "BitwiseXor", "Ceil",        "Cos",          "Cosh",
    "Erf",        "Exp",          "Expm1",      "Floor",     "FloorDiv",     "FloorMod",     "Greater",
    "GreaterEqual", "Invert",     "IsInf",      "IsNan",     "LeftShift",    "Less",         "LessEqual",
    "Log",        "Log1p",        "LogicalAnd", "LogicalNot", "LogicalOr",   "Maximum",      "Minimum",
    "Mul",        "Neg",          "Pow",        "Reciprocal", "RightShift",  "Round",        "Rsqrt",
    "Sign",       "Sin",          "Sinh",       "Sqrt",      "Square",       "SquaredDifference", "Sub",
    "Tan",        "TruncateDiv",
};

// Strings are joined.
void ConvertAdd(NodeContext& ctx) { ctx.Pass(ctx.Type("T", ctx.InType(0)) == DT_STRING ? "onnx::StringConcat" : "Add"); }

// Integers divide as C does.
void ConvertDiv(NodeContext& ctx) {
  ctx.Pass(IsInteger(ctx.Type("T", ctx.InType(0))) ? "TruncateDiv" : "RealDiv");
}

void ConvertAddN(NodeContext& ctx) {
  if (ctx.num_inputs() == 0) ctx.Fail("it adds no tensors");
  ValueId sum = ctx.In(0);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    const bool last = i + 1 == ctx.num_inputs();
    sum = ctx.Emit("Add", {sum, ctx.In(i)}, 1, last ? "" : "sum" + std::to_string(i)).outputs[0];
  }
  if (ctx.num_inputs() == 1) sum = ctx.Emit("Identity", {sum}).outputs[0];
  ctx.SetOutput(0, sum);
}

void ConvertClip(NodeContext& ctx) { ctx.Pass("ClipByValue"); }

}  // namespace

void RegisterElementwiseConverters(ConverterRegistry& registry) {
  for (const Renamed& op : kRenamed) registry.AddPass(op.tf, op.ascend);
  for (const char* op : kSame) registry.AddPass(op, op);
  for (const char* op : {"Equal", "NotEqual"}) registry.AddPass(op, op);
  registry.Add("ApproximateEqual", [](NodeContext& ctx) {
    ctx.Pass("ApproximateEqual").attrs.Set("tolerance", ctx.Float("tolerance", 1e-5f));
  });
  for (const char* op : {"Erfc", "IsFinite"}) registry.AddPass(op, op);
  for (const char* op : {"BesselI0e", "BesselI1e", "Dawsn", "Erfinv", "Expint", "FresnelCos", "FresnelSin", "Ndtri",
                         "PopulationCount", "Spence"}) {
    registry.AddPass(op, op);
  }
  for (const char* op : {"Digamma", "Lgamma"}) registry.AddKeep(op);
  registry.Add("AccumulateNV2", ConvertAddN);
  registry.Add("Add", ConvertAdd);
  registry.Add("AddN", ConvertAddN);
  registry.Add("ClipByValue", ConvertClip);
  registry.Add("Div", ConvertDiv);
}

}  // namespace atc::tf_parser
