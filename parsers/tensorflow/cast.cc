// Cast and Bitcast.
#include "compiler/ir/user_dtype.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {

void RegisterCastConverters(ConverterRegistry& registry) {
  registry.Add("Bitcast", [](NodeContext& ctx) {
    Node& node = ctx.Pass("Bitcast");
    node.attrs.Set("type", AttrValue(ctx.Type("type")));
    node.attrs.Set(kKeepDtype, int64_t{1});  // the bytes of another type are others
  });
  registry.Add("Cast", [](NodeContext& ctx) {
    const DataType dtype = ctx.Type("DstT");
    if (dtype == DT_UNDEFINED) ctx.Fail("the attribute DstT is no element type");
    ctx.Pass("Cast").attrs.Set("dst_type", static_cast<int64_t>(dtype));
  });
}

}  // namespace atc::tf_parser
