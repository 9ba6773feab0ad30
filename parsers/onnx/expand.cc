// Expand and Tile.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterExpandConverters(ConverterRegistry& registry) {
  registry.AddPass("Expand", 8, "Expand");
  registry.AddKeep("Tile", 1);
  registry.AddPass("Tile", 6, "Tile");
}

}  // namespace atc::onnx_parser
