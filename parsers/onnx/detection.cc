// Detection and image operators, kept whole: AscendIR's have other index types, fewer modes, or other defaults.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {

void RegisterDetectionConverters(ConverterRegistry& registry) {
  registry.AddKeep("AffineGrid", 20);
  registry.AddKeep("CenterCropPad", 18);
  registry.AddKeep("Col2Im", 18);
  registry.AddKeep("DeformConv", 19);
  registry.AddKeep("GridSample", 16);
  registry.AddKeep("MaxRoiPool", 1);
  registry.AddKeep("NonMaxSuppression", 10);
  registry.AddKeep("RoiAlign", 10);
}

}  // namespace atc::onnx_parser
