// Random numbers.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

// `type` with all operands; seeds and the type of the result are attributes.
void Draw(NodeContext& ctx, Name type) {
  Node& node = ctx.Pass(type);
  for (const char* attr : {"seed", "seed2"}) {
    if (ctx.Has(attr)) node.attrs.Set(attr, ctx.Int(attr));
  }
  for (const char* attr : {"dtype", "output_dtype"}) {
    if (ctx.Has(attr)) node.attrs.Set("dtype", AttrValue(ctx.Type(attr)));
  }
}

struct Drawn {
  const char* tf;
  const char* ours;
};

// Sorted.
constexpr Drawn kDrawn[] = {
    {"Multinomial", "Multinomial"},
    {"RandomShuffle", "RandomShuffle"},
    {"RandomStandardNormal", "RandomStandardNormal"},
    {"RandomUniform", "RandomUniform"},
    {"RandomUniformInt", "RandomUniformInt"},
    {"StatelessMultinomial", "tf::StatelessMultinomial"},
    {"StatelessRandomNormal", "tf::StatelessRandomNormal"},
    {"StatelessRandomNormalV2", "StatelessRandomNormalV2"},
    {"StatelessRandomUniform", "tf::StatelessRandomUniform"},
    {"StatelessRandomUniformFullInt", "tf::StatelessRandomUniformFullInt"},
    {"StatelessRandomUniformFullIntV2", "tf::StatelessRandomUniformFullIntV2"},
    {"StatelessRandomUniformInt", "tf::StatelessRandomUniformInt"},
    {"StatelessRandomUniformIntV2", "StatelessRandomUniformIntV2"},
    {"StatelessRandomUniformV2", "StatelessRandomUniformV2"},
    {"StatelessTruncatedNormal", "tf::StatelessTruncatedNormal"},
    {"StatelessTruncatedNormalV2", "StatelessTruncatedNormalV2"},
    {"TruncatedNormal", "TruncatedNormal"},
};

// Philox is what TensorFlow takes on a CPU.
void ConvertAlgorithm(NodeContext& ctx) { ctx.SetOutput(0, ctx.Const(ScalarOf(DT_INT32, 1), "")); }

void ConvertKeyCounterAlgorithm(NodeContext& ctx) {
  const Node& node = ctx.Emit("tf::StatelessRandomGetKeyCounter", {ctx.In(0)}, 2);
  ctx.SetOutput(0, node.outputs[0]);
  ctx.SetOutput(1, node.outputs[1]);
  ctx.SetOutput(2, ctx.Const(ScalarOf(DT_INT32, 1), "alg"));
}

}  // namespace

void RegisterRandomConverters(ConverterRegistry& registry) {
  for (const Drawn& drawn : kDrawn) {
    registry.Add(drawn.tf, [type = Name(drawn.ours)](NodeContext& ctx) { Draw(ctx, type); });
  }
  registry.AddPass("StatelessRandomChoiceWithMask", "StatelessRandomChoiceWithMask", 2);
  registry.Add("StatelessRandomGetAlg", ConvertAlgorithm);
  registry.AddKeep("StatelessRandomGetKeyCounter", 2);
  registry.Add("StatelessRandomGetKeyCounterAlg", ConvertKeyCounterAlgorithm);
}

}  // namespace atc::tf_parser
