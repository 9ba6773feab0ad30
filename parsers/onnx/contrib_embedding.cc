// Embeddings of domain com.microsoft: of tokens, their places and segments with the norm behind them, and by rotation.
#include "parsers/onnx/families.h"
#include "parsers/onnx/operator_body.h"

namespace atc::onnx_parser {
namespace {

constexpr const char* kDomain = "com.microsoft";
constexpr int kRotaryOpset = 23;

// Dim `axis` of x as a tensor of one element.
std::string Dim(OperatorBody& body, const std::string& x, int64_t axis) {
  const std::string dim = body.Add("Shape", {x});
  body.Set("start", axis).Set("end", axis + 1);
  return dim;
}

// For each row of `ids` how many elements of the mask are 1; 0 without a mask.
std::string MaskedCounts(OperatorBody& body, const std::string& ids, const std::string& mask) {
  const std::string one = body.Add("CastLike", {body.Float(1), ids});
  const std::string counted =
      mask.empty() ? body.Add("Sub", {ids, ids}) : body.Add("CastLike", {body.Add("Equal", {mask, one}), ids});
  const std::string counts = body.Add("ReduceSum", {counted, body.Ints({1})});
  body.Set("keepdims", int64_t{0});
  return counts;
}

// The norm of word + place + segment, of which the sum is an output as well. Ids are [batch, places]; places are counted
// from 0 where none are given.
void EmbedLayerNormalization(NodeContext& ctx) {
  OperatorBody body(ctx);
  const std::string ids = body.In(0), segments = body.In(1), places = body.In(8);
  if (ctx.HasInput(1) != ctx.HasInput(4))
    ctx.Fail("segment_ids and segment_embedding are not both given, wanted both or none");
  const std::string words = body.Add("Gather", {body.In(2), ids});
  const std::string placed = places.empty()
                                 ? body.Add("Slice", {body.In(3), body.Ints({0}), Dim(body, ids, 1), body.Ints({0})})
                                 : body.Add("Gather", {body.In(3), places});
  std::string sum = body.Add("Add", {words, placed});
  if (!segments.empty()) sum = body.Add("Add", {sum, body.Add("Gather", {body.In(4), segments})});
  const std::string counts = ctx.WantsOutput(1) ? MaskedCounts(body, ids, body.In(7)) : "";
  const std::string y = body.Add("LayerNormalization", {sum, body.In(5), body.In(6)});
  body.Set("axis", int64_t{-1}).Set("epsilon", ctx.Float("epsilon", 1e-12f));
  body.Finish({y, counts, sum});
}

const Shape& KnownRank(const NodeContext& ctx, size_t i, const char* name, size_t least, size_t most) {
  const TensorDesc& desc = ctx.Desc(i);
  const Shape& shape = desc.origin_shape;
  const size_t rank = desc.dtype == DT_UNDEFINED || !shape.HasRank() ? 0 : shape.rank();
  if (rank < least || rank > most) {
    ctx.Fail(std::string(name) + " has the shape " + ToString(shape) + ", wanted " + std::to_string(least) + " or " +
             std::to_string(most) + " dims");
  }
  return shape;
}

// Heads of x [batch, places, heads * width]; the caches hold half a width.
int64_t HeadsOf(const NodeContext& ctx, const Shape& x) {
  if (const int64_t heads = ctx.Int("num_heads", 0); heads > 0) return heads;
  const Shape& cache = KnownRank(ctx, 2, "cos_cache", 2, 2);
  if (x[2] < 1 || cache[1] < 1 || x[2] % (2 * cache[1]) != 0) {
    ctx.Fail("num_heads is 0, the input has the shape " + ToString(x) + " and cos_cache " + ToString(cache) +
             ", wanted num_heads or a multiple of twice the width of the cache");
  }
  return x[2] / (2 * cache[1]);
}

// As in ai.onnx, except that one position stands for that of the first place of all rows.
void RotaryEmbedding(NodeContext& ctx) {
  if (ctx.Int("is_packed_batching", 0) != 0) ctx.Fail("is_packed_batching is 1, wanted 0");
  if (const float scale = ctx.Float("scale", 1); scale != 1)
    ctx.Fail("scale is " + std::to_string(scale) + ", wanted 1");
  const Shape& x = KnownRank(ctx, 0, "input", 3, 4);
  const Shape& given = KnownRank(ctx, 1, "position_ids", 1, 2);
  OperatorBody body(ctx, kRotaryOpset);
  std::string positions = body.In(1);
  if (given.rank() == 1) {
    const std::string places = Dim(body, body.In(0), x.rank() == 3 ? 1 : 2);
    const auto scalar = [&](int64_t value) { return body.Add("Squeeze", {body.Ints({value})}); };
    const std::string from =
        body.Add("Add", {body.Add("Range", {scalar(0), body.Add("Squeeze", {places}), scalar(1)}), positions});
    const std::string shape = body.Add("Concat", {Dim(body, body.In(0), 0), places});
    body.Set("axis", int64_t{0});
    positions = body.Add("Expand", {from, shape});
  }
  const std::string y = body.Add("RotaryEmbedding", {body.In(0), body.In(2), body.In(3), positions});
  body.Copy({"interleaved", "rotary_embedding_dim"});
  if (x.rank() == 3) body.Set("num_heads", HeadsOf(ctx, x));
  body.Finish({y});
}

}  // namespace

void RegisterContribEmbeddingConverters(ConverterRegistry& registry) {
  registry.Add("EmbedLayerNormalization", 1, EmbedLayerNormalization, kDomain);
  registry.Add("RotaryEmbedding", 1, RotaryEmbedding, kDomain);
}

}  // namespace atc::onnx_parser
