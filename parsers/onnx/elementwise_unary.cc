// Functions of one operand.
#include "parsers/onnx/elementwise.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

struct Unary {
  const char* onnx;
  int since;
  const char* ascend;
};

constexpr Unary kUnary[] = {
    {"Abs", 1, "Abs"},          {"Acos", 7, "Acos"},   {"Acosh", 9, "Acosh"}, {"Asin", 7, "Asin"},
    {"Asinh", 9, "Asinh"},      {"Atan", 7, "Atan"},   {"Atanh", 9, "Atanh"}, {"BitwiseNot", 18, "Invert"},
    {"Ceil", 1, "Ceil"},        {"Cos", 7, "Cos"},     {"Cosh", 9, "Cosh"},   {"Erf", 9, "Erf"},
    {"Exp", 1, "Exp"},          {"Floor", 1, "Floor"}, {"IsNaN", 9, "IsNan"}, {"Log", 1, "Log"},
    {"Neg", 1, "Neg"},          {"Not", 1, "LogicalNot"}, {"Reciprocal", 1, "Reciprocal"},
    {"Round", 11, "Round"},     {"Sign", 9, "Sign"},   {"Sin", 7, "Sin"},     {"Sinh", 9, "Sinh"},
    {"Sqrt", 1, "Sqrt"},        {"Tan", 7, "Tan"},     {"Tanh", 1, "Tanh"},
};

// AscendIR's operator counts both infinities.
void ConvertIsInf(NodeContext& ctx) {
  if (ctx.Int("detect_negative", 1) != 0 && ctx.Int("detect_positive", 1) != 0) {
    ctx.Pass("IsInf");
  } else {
    ctx.Keep();
  }
}

}  // namespace

void RegisterElementwiseUnaryConverters(ConverterRegistry& registry) {
  for (const Unary& op : kUnary) {
    registry.Add(op.onnx, op.since, [type = Name(op.ascend)](NodeContext& ctx) { ctx.Pass(type); });
  }
  registry.Add("IsInf", 10, ConvertIsInf);
}

}  // namespace atc::onnx_parser
