// Random operators, kept whole: their seeds and distributions are their own.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterRandomConverters(ConverterRegistry& registry) {
  registry.AddKeep("Bernoulli", 15);
  registry.AddKeep("Multinomial", 7);
  registry.AddKeep("RandomNormal", 1);
  registry.AddKeep("RandomNormalLike", 1);
  registry.AddKeep("RandomUniform", 1);
  registry.AddKeep("RandomUniformLike", 1);
}

}  // namespace atc::onnx_parser
