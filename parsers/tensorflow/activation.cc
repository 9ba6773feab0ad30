// Activation functions.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {

void RegisterActivationConverters(ConverterRegistry& registry) {
  for (const char* same : {"Elu", "Relu", "Relu6", "Selu", "Sigmoid", "Softplus", "Softsign", "Tanh"}) {
    registry.AddPass(same, same);
  }
  registry.Add("Gelu", [](NodeContext& ctx) {
    ctx.Pass("GeluV2").attrs.Set("approximate", ctx.Bool("approximate", true) ? "tanh" : "none");
  });
  registry.Add("LeakyRelu",
               [](NodeContext& ctx) { ctx.Pass("LeakyRelu").attrs.Set("negative_slope", ctx.Float("alpha", 0.2f)); });
  registry.Add("LogSoftmax", [](NodeContext& ctx) { ctx.Pass("LogSoftmaxV2"); });
  registry.Add("Softmax", [](NodeContext& ctx) { ctx.Pass("SoftmaxV2"); });
}

}  // namespace atc::tf_parser
