// Domain ai.onnx.ml. AscendIR has none of these operators.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

constexpr const char* kDomain = "ai.onnx.ml";

Tensor Strings(const std::vector<std::string>& values) {
  return Tensor::From(DT_STRING, {static_cast<int64_t>(values.size())}, values);
}

Tensor Floats(const std::vector<float>& values) {
  return Tensor::From(DT_FLOAT, {static_cast<int64_t>(values.size())}, values);
}

// A list of LabelEncoder, "keys" or "values": the attribute of the type that is given.
Tensor Table(const NodeContext& ctx, const std::string& which) {
  if (ctx.HasAttr(which + "_tensor")) return ctx.TensorAttr(which + "_tensor").Materialized();
  if (ctx.HasAttr(which + "_strings")) return Strings(ctx.Strings(which + "_strings"));
  if (ctx.HasAttr(which + "_int64s")) return Tensor::Ints(ctx.Ints(which + "_int64s"));
  if (ctx.HasAttr(which + "_floats")) return Floats(ctx.Floats(which + "_floats"));
  ctx.Fail("none of the attributes " + which + "_tensor, " + which + "_strings, " + which + "_int64s and " + which +
           "_floats is there");
}

// What stands for a key that is not in the table: "_Unused", -1 or -0.0, by the type of the values.
Tensor Fallback(const NodeContext& ctx, DataType dtype) {
  if (ctx.HasAttr("default_tensor")) return ctx.TensorAttr("default_tensor").Materialized();
  switch (dtype) {
    case DT_STRING: return Strings({ctx.String("default_string", "_Unused")});
    case DT_INT64: return Tensor::Ints({ctx.Int("default_int64", -1)});
    case DT_FLOAT: return Floats({ctx.Float("default_float", -0.0f)});
    case DT_DOUBLE: return Tensor::From<double>(dtype, {1}, {-0.0});
    case DT_INT32: return Tensor::From<int32_t>(dtype, {1}, {-1});
    case DT_INT16: return Tensor::From<int16_t>(dtype, {1}, {-1});
    default: ctx.Fail("values of type " + std::string(DataTypeName(dtype)) + " are not among those that it may have");
  }
}

void EmitEncoder(NodeContext& ctx, Tensor keys, Tensor values) {
  if (keys.NumElements() != values.NumElements()) {
    ctx.Fail("it has " + std::to_string(keys.NumElements()) + " keys and " + std::to_string(values.NumElements()) +
             " values; they must be as many");
  }
  Tensor fallback = Fallback(ctx, values.dtype());
  if (fallback.dtype() != values.dtype() || fallback.NumElements() != 1) {
    ctx.Fail("default_tensor must hold one element of the type of the values");
  }
  Node& node = ctx.Pass("onnx::LabelEncoder");
  node.attrs.Set("keys_tensor", AttrValue(std::move(keys)));
  node.attrs.Set("values_tensor", AttrValue(std::move(values)));
  node.attrs.Set("default_tensor", AttrValue(std::move(fallback)));
}

// Between strings and integers, in the direction that the type of the input tells.
void EmitStringTable(NodeContext& ctx, Tensor strings, Tensor ints) {
  switch (ctx.Desc(0).dtype) {
    case DT_STRING: return EmitEncoder(ctx, std::move(strings), std::move(ints));
    case DT_INT64: return EmitEncoder(ctx, std::move(ints), std::move(strings));
    default:
      ctx.Fail("its input is " + std::string(DataTypeName(ctx.Desc(0).dtype)) + "; DT_STRING or DT_INT64 is wanted");
  }
}

// Version 1 has one list: classes, numbered from 0.
void FirstLabelEncoder(NodeContext& ctx) {
  const std::vector<std::string> classes = ctx.Strings("classes_strings");
  std::vector<int64_t> numbers(classes.size());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
  EmitStringTable(ctx, Strings(classes), Tensor::Ints(numbers));
}

void LabelEncoder(NodeContext& ctx) { EmitEncoder(ctx, Table(ctx, "keys"), Table(ctx, "values")); }

void CategoryMapper(NodeContext& ctx) {
  EmitStringTable(ctx, Strings(ctx.Strings("cats_strings")), Tensor::Ints(ctx.Ints("cats_int64s")));
}

}  // namespace

void RegisterMlConverters(ConverterRegistry& registry) {
  registry.AddKeep("ArrayFeatureExtractor", 1, kDomain);
  registry.AddKeep("Binarizer", 1, kDomain);
  registry.AddKeep("CastMap", 1, kDomain);
  registry.Add("CategoryMapper", 1, CategoryMapper, kDomain);
  registry.AddKeep("DictVectorizer", 1, kDomain);
  registry.AddKeep("FeatureVectorizer", 1, kDomain);
  registry.AddKeep("Imputer", 1, kDomain);
  registry.Add("LabelEncoder", 1, FirstLabelEncoder, kDomain);
  registry.Add("LabelEncoder", 2, LabelEncoder, kDomain);
  registry.AddKeep("LinearClassifier", 1, kDomain);
  registry.AddKeep("LinearRegressor", 1, kDomain);
  registry.AddKeep("Normalizer", 1, kDomain);
  registry.AddKeep("OneHotEncoder", 1, kDomain);
  registry.AddKeep("SVMClassifier", 1, kDomain);
  registry.AddKeep("SVMRegressor", 1, kDomain);
  registry.AddKeep("Scaler", 1, kDomain);
  registry.AddKeep("TreeEnsemble", 5, kDomain);
  registry.AddKeep("TreeEnsembleClassifier", 1, kDomain);
  registry.AddKeep("TreeEnsembleRegressor", 1, kDomain);
  registry.AddKeep("ZipMap", 1, kDomain);
}

}  // namespace atc::onnx_parser
