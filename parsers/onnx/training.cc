// Losses and optimisers, kept whole.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterTrainingConverters(ConverterRegistry& registry) {
  constexpr const char* kTraining = "ai.onnx.preview.training";
  registry.AddKeep("Adagrad", 1, kTraining);
  registry.AddKeep("Adam", 1, kTraining);
  registry.AddKeep("Momentum", 1, kTraining);
  registry.AddKeep("NegativeLogLikelihoodLoss", 12);
  registry.AddKeep("SoftmaxCrossEntropyLoss", 12);
}

}  // namespace atc::onnx_parser
