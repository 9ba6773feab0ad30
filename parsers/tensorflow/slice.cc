// Slices.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {

void RegisterSliceConverters(ConverterRegistry& registry) {
  registry.AddPass("Slice", "Slice");
  registry.Add("StridedSlice", [](NodeContext& ctx) {
    Node& node = ctx.Pass("StridedSlice");
    for (const char* mask : {"begin_mask", "ellipsis_mask", "end_mask", "new_axis_mask", "shrink_axis_mask"}) {
      node.attrs.Set(mask, ctx.Int(mask));
    }
  });
}

}  // namespace atc::tf_parser
