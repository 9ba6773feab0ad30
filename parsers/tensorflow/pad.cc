// Padding.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {

void RegisterPadConverters(ConverterRegistry& registry) {
  registry.Add("MirrorPad",
               [](NodeContext& ctx) { ctx.Pass("MirrorPad").attrs.Set("mode", AttrValue(ctx.String("mode"))); });
  registry.AddPass("Pad", "PadV3");
  registry.AddPass("PadV2", "PadV3");
}

}  // namespace atc::tf_parser
