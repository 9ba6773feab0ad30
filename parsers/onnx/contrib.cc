// Operators of domain com.microsoft that ONNX Runtime's optimiser and exporters write, in terms of ai.onnx.
#include "parsers/onnx/families.h"
#include "parsers/onnx/operator_body.h"

namespace atc::onnx_parser {
namespace {

constexpr const char* kDomain = "com.microsoft";
constexpr int kRmsOpset = 23;

std::string Plus(OperatorBody& body, std::string x, const std::string& y) {
  return y.empty() ? std::move(x) : body.Add("Add", {x, y});
}

// ---- activations ----

void GeluOf(NodeContext& ctx, std::string_view approximate) {
  OperatorBody body(ctx);
  const std::string y = body.Add("Gelu", {Plus(body, body.In(0), body.In(1))});
  body.Set("approximate", approximate).Finish({y});
}

// x * sigmoid(alpha * x)
void QuickGelu(NodeContext& ctx) {
  OperatorBody body(ctx);
  const std::string scaled = body.Add("Mul", {body.In(0), body.FloatLike(ctx.Float("alpha", 1.702f), body.In(0))});
  body.Finish({body.Add("Mul", {body.In(0), body.Add("Sigmoid", {scaled})})});
}

// What `activation` makes of x; an empty one leaves it.
std::string Activated(NodeContext& ctx, OperatorBody& body, const std::string& x) {
  const std::string type = ctx.String("activation", "");
  const std::vector<float> params = ctx.Floats("activation_params");
  const auto param = [&](size_t i, const char* attr, float fallback) {
    return i < params.size() ? params[i] : ctx.Float(std::string("activation_") + attr, fallback);
  };
  if (type.empty()) return x;
  if (type == "Clip") {
    const std::string low = body.FloatLike(param(0, "alpha", 0), x);
    return body.Add("Clip", {x, low, body.FloatLike(param(1, "beta", 6), x)});
  }
  const std::string y = body.Add(type, {x});
  if (type == "LeakyRelu") {
    body.Set("alpha", param(0, "alpha", 0.01f));
  } else if (type == "HardSigmoid") {
    body.Set("alpha", param(0, "alpha", 0.2f)).Set("beta", param(1, "beta", 0.5f));
  } else if (type != "Relu" && type != "Sigmoid" && type != "Tanh") {
    ctx.Fail("activation is '" + type + "', wanted Clip, HardSigmoid, LeakyRelu, Relu, Sigmoid or Tanh");
  }
  return y;
}

// ---- products ----

// activation(Conv(X, W, B) + Z)
void FusedConv(NodeContext& ctx) {
  OperatorBody body(ctx);
  const std::string y = body.Add("Conv", {body.In(0), body.In(1), body.In(2)});
  body.Copy({"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  body.Finish({Activated(ctx, body, Plus(body, y, body.In(3)))});
}

void FusedGemm(NodeContext& ctx) {
  OperatorBody body(ctx);
  const std::string y = body.Add("Gemm", {body.In(0), body.In(1), body.In(2)});
  body.Copy({"alpha", "beta", "transA", "transB"});
  body.Finish({Activated(ctx, body, y)});
}

// alpha * A' * B', the last two axes of either swapped where a flag says so.
void FusedMatMul(NodeContext& ctx) {
  for (const char* flag : {"transBatchA", "transBatchB"}) {
    if (ctx.Int(flag, 0) != 0) ctx.Fail(std::string(flag) + " is 1, wanted 0: batches lie first");
  }
  const float alpha = ctx.Float("alpha", 1);
  Node& product = ctx.Emit("BatchMatMulV2", {ctx.In(0), ctx.In(1)}, 1, alpha == 1 ? "" : "product");
  product.attrs.Set("adj_x1", ctx.Int("transA", 0) != 0);
  product.attrs.Set("adj_x2", ctx.Int("transB", 0) != 0);
  if (alpha == 1) return ctx.SetOutput(0, product.outputs[0]);
  Node& scaled = ctx.Emit("Muls", {product.outputs[0]});
  scaled.attrs.Set("value", alpha);
  ctx.SetOutput(0, scaled.outputs[0]);
}

// ---- normalisation ----

// Of the sum of input, skip and bias; the sum is an output as well.
void SkipNorm(NodeContext& ctx, bool centred) {
  OperatorBody body(ctx, kRmsOpset);
  const std::string sum = Plus(body, body.Add("Add", {body.In(0), body.In(1)}), body.In(centred ? 4 : 3));
  const bool statistics = centred && (ctx.WantsOutput(1) || ctx.WantsOutput(2));
  const std::string y = centred ? body.Add("LayerNormalization", {sum, body.In(2), body.In(3)}, statistics ? 3 : 1)
                                : body.Add("RMSNormalization", {sum, body.In(2)});
  body.Set("axis", int64_t{-1}).Set("epsilon", ctx.Float("epsilon", 1e-12f));
  if (statistics) return body.Finish({y, y + "_1", y + "_2", sum});
  body.Finish({y, "", "", sum});
}

// ONNX Runtime has it in ai.onnx.
void SimplifiedLayerNormalization(NodeContext& ctx) {
  OperatorBody body(ctx, kRmsOpset);
  const std::string y = body.Add("RMSNormalization", {body.In(0), body.In(1)});
  body.Copy({"axis", "epsilon", "stash_type"}).Finish({y});
}

// ---- attention ----

// [batch, places, heads * width] as [batch, heads, places, width].
std::string Heads(OperatorBody& body, const std::string& x, int64_t heads) {
  const std::string parted = body.Add("Reshape", {x, body.Ints({0, 0, heads, -1})});
  const std::string turned = body.Add("Transpose", {parted});
  body.Set("perm", std::vector<int64_t>{0, 2, 1, 3});
  return turned;
}

// What is added to the scores for a mask above 0 where a key counts: [batch, keys], or [batch, queries, keys].
std::string MaskAddend(NodeContext& ctx, OperatorBody& body, size_t at, const std::string& like) {
  const TensorDesc& desc = ctx.Desc(at);
  const size_t rank = desc.dtype == DT_UNDEFINED || !desc.origin_shape.HasRank() ? 0 : desc.origin_shape.rank();
  if (rank != 2 && rank != 3)
    ctx.Fail("the mask has the shape " + ToString(desc.origin_shape) + ", wanted one of 2 or 3 dims: [batch, keys]");
  const std::string mask = body.Add("CastLike", {body.In(at), like});
  const std::string placed =
      body.Add("Unsqueeze", {mask, body.Ints(rank == 2 ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1})});
  const std::string one = body.FloatLike(1, like);
  const std::string counts = body.Add("Clip", {placed, body.FloatLike(0, like), one});
  return body.Add("Mul",
                  {body.Add("Sub", {one, counts}), body.FloatLike(ctx.Float("mask_filter_value", -10000.0f), like)});
}

// softmax(q * k' * scale + addends) * v, of heads, with the heads side by side again.
void Attend(NodeContext& ctx, OperatorBody& body, const std::string& q, const std::string& k, const std::string& v,
            size_t mask, size_t bias) {
  const std::string turned = body.Add("Transpose", {k});
  body.Set("perm", std::vector<int64_t>{0, 1, 3, 2});
  std::string scores = body.Add("MatMul", {q, turned});
  if (const float scale = ctx.Float("scale", 0); scale != 0) {
    scores = body.Add("Mul", {scores, body.FloatLike(scale, scores)});
  } else {
    const std::string shape = body.Add("Shape", {q});
    body.Set("start", int64_t{3});
    scores =
        body.Add("Div", {scores, body.Add("CastLike", {body.Add("Sqrt", {[&] {
                                                                  const std::string width = body.Add("Cast", {shape});
                                                                  body.Set("to", int64_t{onnx::TensorProto::FLOAT});
                                                                  return width;
                                                                }()}),
                                                       scores})});
  }
  scores = Plus(body, scores, body.In(bias));
  if (ctx.HasInput(mask)) scores = body.Add("Add", {scores, MaskAddend(ctx, body, mask, scores)});
  if (ctx.Int("unidirectional", 0) != 0) {
    const std::string lowest = body.FloatLike(ctx.Float("mask_filter_value", -10000.0f), scores);
    const std::string shape = body.Add("Shape", {scores});
    body.Set("start", int64_t{2});
    const std::string above =
        body.Add("Trilu", {body.Add("Expand", {lowest, shape}), body.Add("Squeeze", {body.Ints({1})})});
    body.Set("upper", int64_t{1});
    scores = body.Add("Add", {scores, above});
  }
  const std::string weights = body.Add("Softmax", {scores});
  body.Set("axis", int64_t{-1});
  const std::string mixed = body.Add("Transpose", {body.Add("MatMul", {weights, v})});
  body.Set("perm", std::vector<int64_t>{0, 2, 1, 3});
  body.Finish({body.Add("Reshape", {mixed, body.Ints({0, 0, -1})})});
}

void RefuseInputs(const NodeContext& ctx, size_t from, const char* what) {
  for (size_t i = from; i < ctx.num_inputs(); ++i) {
    if (ctx.HasInput(i))
      ctx.Fail(std::string("input ") + std::to_string(i) + " is given, of " + what + ", which is not supported");
  }
}

int64_t HeadsOf(const NodeContext& ctx) {
  const int64_t heads = ctx.Int("num_heads", 0);
  if (heads < 1) ctx.Fail("num_heads is " + std::to_string(heads) + ", wanted at least 1");
  return heads;
}

// Queries, keys and values are one product of the input.
void Attention(NodeContext& ctx) {
  if (ctx.HasInput(4)) ctx.Fail("input 4 is given, keys and values of the past, which are not supported");
  RefuseInputs(ctx, 6, "keys and values of the past");
  if (ctx.Int("do_rotary", 0) != 0) ctx.Fail("do_rotary is 1, wanted 0");
  const int64_t heads = HeadsOf(ctx);
  OperatorBody body(ctx);
  const std::string all = Plus(body, body.Add("MatMul", {body.In(0), body.In(1)}), body.In(2));
  const std::vector<int64_t> sizes = ctx.Ints("qkv_hidden_sizes");
  std::vector<std::string> inputs{all};
  if (!sizes.empty()) inputs.push_back(body.Ints(sizes));
  const std::string q = body.Add("Split", inputs, 3);
  body.Set("axis", int64_t{-1});
  if (sizes.empty()) body.Set("num_outputs", int64_t{3});
  Attend(ctx, body, Heads(body, q, heads), Heads(body, q + "_1", heads), Heads(body, q + "_2", heads), 3, 5);
}

// Queries, keys and values apart, [batch, places, heads * width] each, with one bias for all of them.
void MultiHeadAttention(NodeContext& ctx) {
  RefuseInputs(ctx, 6, "keys and values of the past");
  for (size_t i = 0; i < 3; ++i) {
    const TensorDesc& desc = ctx.Desc(i);
    if (!ctx.HasInput(i)) ctx.Fail("input " + std::to_string(i) + " is missing; wanted queries, keys and values apart");
    if (desc.dtype != DT_UNDEFINED && desc.origin_shape.HasRank() && desc.origin_shape.rank() != 3) {
      ctx.Fail("input " + std::to_string(i) + " has the shape " + ToString(desc.origin_shape) + ", wanted three dims");
    }
  }
  const int64_t heads = HeadsOf(ctx);
  OperatorBody body(ctx);
  std::string operands[3] = {body.In(0), body.In(1), body.In(2)};
  if (ctx.HasInput(3)) {
    // Widths of the three: queries and keys have one, values what is left.
    const auto width = [&](const std::string& x) {
      const std::string shape = body.Add("Shape", {x});
      body.Set("start", int64_t{2});
      return shape;
    };
    const std::string sizes = body.Add("Concat", {width(operands[0]), width(operands[1]), width(operands[2])});
    body.Set("axis", int64_t{0});
    const std::string parts = body.Add("Split", {body.In(3), sizes}, 3);
    body.Set("axis", int64_t{0});
    const std::string suffix[3] = {"", "_1", "_2"};
    for (size_t i = 0; i < 3; ++i) operands[i] = body.Add("Add", {operands[i], parts + suffix[i]});
  }
  Attend(ctx, body, Heads(body, operands[0], heads), Heads(body, operands[1], heads), Heads(body, operands[2], heads),
         4, 5);
}

}  // namespace

void RegisterContribConverters(ConverterRegistry& registry) {
  registry.Add("Attention", 1, Attention, kDomain);
  for (const char* type : {"BiasGelu", "Gelu"})
    registry.Add(type, 1, [](NodeContext& ctx) { GeluOf(ctx, "none"); }, kDomain);
  registry.Add("FastGelu", 1, [](NodeContext& ctx) { GeluOf(ctx, "tanh"); }, kDomain);
  registry.Add("FusedConv", 1, FusedConv, kDomain);
  registry.Add("FusedGemm", 1, FusedGemm, kDomain);
  registry.Add("FusedMatMul", 1, FusedMatMul, kDomain);
  registry.Add("MultiHeadAttention", 1, MultiHeadAttention, kDomain);
  registry.Add("QuickGelu", 1, QuickGelu, kDomain);
  registry.Add("SimplifiedLayerNormalization", 1, SimplifiedLayerNormalization);
  registry.Add("SkipLayerNormalization", 1, [](NodeContext& ctx) { SkipNorm(ctx, true); }, kDomain);
  registry.Add("SkipSimplifiedLayerNormalization", 1, [](NodeContext& ctx) { SkipNorm(ctx, false); }, kDomain);
  registry.Add("TransposeMatMul", 1, FusedMatMul, kDomain);
}

}  // namespace atc::onnx_parser
