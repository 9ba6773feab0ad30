// Recurrent operators, kept whole: AscendIR's know only special cases of them.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterRecurrentConverters(ConverterRegistry& registry) {
  registry.AddKeep("GRU", 1);
  registry.AddKeep("LSTM", 1);
  registry.AddKeep("RNN", 1);
}

}  // namespace atc::onnx_parser
