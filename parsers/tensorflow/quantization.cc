// Quantisation: simulated in floats, and by ranges.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {

void RegisterQuantizationConverters(ConverterRegistry& registry) {
  for (const char* op : {"FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"}) {
    registry.AddPassWithAttrs(op, op);
  }
  for (const char* op : {"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4"}) registry.AddKeep(op);
  registry.AddKeep("Dequantize");
  registry.AddKeep("QuantizeV2", 3);
  registry.AddKeep("RequantizationRange", 2);
  registry.AddKeep("Requantize", 3);
}

}  // namespace atc::tf_parser
