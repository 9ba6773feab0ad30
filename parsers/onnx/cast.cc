// BitCast, Cast and CastLike.
#include "compiler/ir/user_dtype.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

// The names that opset 1 used in place of numbers.
DataType TypeFromWord(const std::string& word) {
  static constexpr std::pair<std::string_view, DataType> kWords[] = {
      {"BOOL", DT_BOOL},     {"DOUBLE", DT_DOUBLE}, {"FLOAT", DT_FLOAT}, {"FLOAT16", DT_FLOAT16}, {"INT16", DT_INT16},
      {"INT32", DT_INT32},   {"INT64", DT_INT64},   {"INT8", DT_INT8},   {"STRING", DT_STRING},   {"UINT16", DT_UINT16},
      {"UINT32", DT_UINT32}, {"UINT64", DT_UINT64}, {"UINT8", DT_UINT8},
  };
  for (const auto& [name, dtype] : kWords) {
    if (word == name) return dtype;
  }
  return DT_UNDEFINED;
}

void Finish(NodeContext& ctx, Node& node) {
  if (ctx.HasAttr("saturate")) node.attrs.Set("saturate", ctx.Int("saturate", 1));
  if (ctx.HasAttr("round_mode")) node.attrs.Set("round_mode", AttrValue(ctx.String("round_mode", "up")));
  ctx.SetOutput(0, node.outputs[0]);
}

void EmitCast(NodeContext& ctx, DataType dtype) {
  Node& node = ctx.Emit("Cast", {ctx.In(0)});
  node.attrs.Set("dst_type", static_cast<int64_t>(dtype));
  Finish(ctx, node);
}

void ConvertCast(NodeContext& ctx) {
  const int64_t number = ctx.Int("to", 0);
  const DataType dtype = number != 0 ? DataTypeFromOnnx(static_cast<int>(number)) : TypeFromWord(ctx.String("to", ""));
  if (dtype == DT_UNDEFINED) ctx.Fail("the attribute to is " + std::to_string(number) + ", no element type of ONNX");
  EmitCast(ctx, dtype);
}

void ConvertCastLike(NodeContext& ctx) {
  const DataType dtype = ctx.Desc(1).dtype;
  if (dtype != DT_UNDEFINED) return EmitCast(ctx, dtype);
  Finish(ctx, ctx.Emit("CastLike", {ctx.In(0), ctx.In(1)}));
}

void ConvertBitCast(NodeContext& ctx) {
  const int64_t number = ctx.Int("to", 0);
  const DataType dtype = DataTypeFromOnnx(static_cast<int>(number));
  if (dtype == DT_UNDEFINED) ctx.Fail("the attribute to is " + std::to_string(number) + ", no element type of ONNX");
  const DataType from = ctx.Desc(0).dtype;
  if (from != DT_UNDEFINED && DataTypeBits(from) != DataTypeBits(dtype)) {
    ctx.Fail("its input is " + std::string(DataTypeName(from)) + "; the type wanted, " +
             std::string(DataTypeName(dtype)) + ", has another width");
  }
  Node& node = ctx.Pass("Bitcast");
  node.attrs.Set("type", AttrValue(dtype));
  node.attrs.Set(kKeepDtype, int64_t{1});  // the bytes of another type are others
}

}  // namespace

void RegisterCastConverters(ConverterRegistry& registry) {
  registry.Add("BitCast", 26, ConvertBitCast);
  registry.Add("Cast", 1, ConvertCast);
  registry.Add("CastLike", 15, ConvertCastLike);
}

}  // namespace atc::onnx_parser
