// Signal operators, kept whole: AscendIR has none of their meaning.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterSignalConverters(ConverterRegistry& registry) {
  registry.AddKeep("BlackmanWindow", 17);
  registry.AddKeep("DFT", 17);
  registry.AddKeep("HammingWindow", 17);
  registry.AddKeep("HannWindow", 17);
  registry.AddKeep("MelWeightMatrix", 17);
  registry.AddKeep("STFT", 17);
}

}  // namespace atc::onnx_parser
